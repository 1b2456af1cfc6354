import type { Socket } from "node:net";
import { createServer } from "node:tls";
import type { ClientHello } from "./client-hello.ts";
import { INTERMEDIATE, type KeyPair, secureContext } from "./contexts.ts";

/** RFC 8737 section 3: the certificate with the digest of the key authorization; undefined if none is pending. */
export type ChallengeCertificate = (name: string) => KeyPair | undefined;

const PROTOCOL = "acme-tls/1";

/** Responds to TLS-ALPN-01 challenges (RFC 8737). */
export const alpnChallenges = (challenge: ChallengeCertificate, handshakeMs: number) => {
  const server = createServer({
    ...INTERMEDIATE,
    ALPNProtocols: [PROTOCOL],
    handshakeTimeout: handshakeMs,
    SNICallback(name, done) {
      try {
        const pair = challenge(name.toLowerCase());
        done(null, pair && secureContext(pair));
      } catch {
        // A certificate that cannot be used counts as none.
        done(null);
      }
    },
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    // RFC 8737 section 3: no data is exchanged. Without reading, the end of the connection would go unnoticed.
    socket.resume();
    socket.end();
  });
  return {
    /** True if a CA validates a pending challenge: ALPN is "acme-tls/1" and nothing else (section 3). */
    matches: ({ serverName, protocols }: ClientHello): boolean =>
      serverName !== undefined &&
      protocols.length === 1 &&
      protocols[0] === PROTOCOL &&
      challenge(serverName) !== undefined,
    /** Completes the handshake on a socket whose ClientHello is still unread, and closes it. */
    respond: (socket: Socket) => void server.emit("connection", socket),
  };
};
