import { connect } from "node:tls";
import { withDeadline } from "../../lib/time.ts";
import { ES256, KEY_USAGES, P256, privateKeyPem, loadX509 } from "./keys.ts";

/** RFC 8737 section 6.2. */
const PROTOCOL = "acme-tls/1";

const ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";
/** The header of a DER OCTET STRING of 32 bytes. */
const OCTETS_32 = [0x04, 0x20];
const DAY_MS = 24 * 60 * 60_000;

/** RFC 8737 section 3: SHA-256 of the key authorization, as the extension's value. */
const acmeIdentifier = (authorization: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...OCTETS_32, ...new Bun.CryptoHasher("sha256").update(authorization).digest()]);

/** The proof in a certificate for this key authorization: see `shownIdentifier`. */
export const acmeIdentifierOf = (authorization: string): string => acmeIdentifier(authorization).toHex();

/** The proof in a certificate; undefined if it is not one for a TLS-ALPN-01 challenge. @param der the certificate */
export const shownIdentifier = async (der: Uint8Array<ArrayBuffer>): Promise<string | undefined> => {
  const { X509Certificate } = await loadX509();
  const extension = new X509Certificate(der).getExtension(ACME_IDENTIFIER);
  return extension ? new Uint8Array(extension.value).toHex() : undefined;
};

/**
 * The self-signed certificate for a TLS-ALPN-01 challenge of one name: RFC 8737 section 3.
 * @param authorization the key authorization
 */
export const alpnCertificate = async (name: string, authorization: string, now = Date.now()) => {
  const { Extension, SubjectAlternativeNameExtension, X509CertificateGenerator } = await loadX509();
  const keys = await crypto.subtle.generateKey(P256, true, [...KEY_USAGES]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=ACME challenge",
    keys,
    signingAlgorithm: ES256,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + DAY_MS),
    extensions: [
      new SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
      new Extension(ACME_IDENTIFIER, true, acmeIdentifier(authorization)),
    ],
  });
  return { key: privateKeyPem(keys.privateKey), cert: certificate.toString("pem") };
};

/** A private key and its self-signed certificate, both PEM. */
export type KeyAndCertificate = Awaited<ReturnType<typeof alpnCertificate>>;

/**
 * Fetches the certificate that a server presents to a CA for a TLS-ALPN-01 challenge (RFC 8737 section 3), without checking its
 * issuer.
 * @returns DER @throws the error that ends the handshake
 */
export const fetchAlpnCertificate = async (
  hostname: string,
  { address, port, timeoutMs }: { address: string; port: number; timeoutMs: number },
): Promise<Uint8Array<ArrayBuffer>> => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const late = () => new Error(`timed out after ${timeoutMs} ms`);
  const socket = connect({
    host: address,
    port,
    servername: hostname,
    ALPNProtocols: [PROTOCOL],
    rejectUnauthorized: false,
  });
  socket.once("secureConnect", () => resolve(Uint8Array.from(socket.getPeerCertificate().raw)));
  socket.once("close", () => reject(new Error("the connection was closed")));
  socket.on("error", reject);
  return withDeadline(promise, timeoutMs, late).finally(() => socket.destroy());
};
