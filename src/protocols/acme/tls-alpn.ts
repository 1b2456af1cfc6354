import { connect } from "node:tls";

/** RFC 8737 section 6.2. */
const PROTOCOL = "acme-tls/1";

/**
 * The certificate that is shown to an authority which asks for a TLS-ALPN-01 challenge (RFC 8737 section 3), DER; whom it
 * is from is not looked at. @throws what ends the handshake
 */
export const fetchAlpnCertificate = async (
  hostname: string,
  { address, port, timeoutMs }: { address: string; port: number; timeoutMs: number },
): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = connect({
    host: address,
    port,
    servername: hostname,
    ALPNProtocols: [PROTOCOL],
    rejectUnauthorized: false,
  });
  const late = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  socket.once("secureConnect", () => resolve(socket.getPeerCertificate().raw));
  socket.once("close", () => reject(new Error("the connection was closed")));
  socket.on("error", reject);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
};
