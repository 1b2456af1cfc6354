import type { Socket } from "node:net";
import { createServer } from "node:tls";
import { INTERMEDIATE, secureContext, type KeyPair } from "./contexts.ts";
import type { ClientHello } from "./client-hello.ts";

/** RFC 8737 section 3: the certificate with the digest of the key authorization; undefined if none is pending. */
export type ChallengeCertificate = (name: string) => KeyPair | undefined;

export interface Challenges {
  /** True if a CA asks for a challenge that is pending: ALPN is "acme-tls/1" and nothing else (section 3). */
  concerns(hello: ClientHello): boolean;
  /** Answers on a socket whose ClientHello is still to be read, and closes it. */
  answer(socket: Socket): void;
}

const PROTOCOL = "acme-tls/1";

export const alpnChallenges = (challenge: ChallengeCertificate, handshakeMs: number): Challenges => {
  const server = createServer({
    ...INTERMEDIATE,
    ALPNProtocols: [PROTOCOL],
    handshakeTimeout: handshakeMs,
    SNICallback(name, done) {
      try {
        const pair = challenge(name.toLowerCase());
        done(null, pair && secureContext(pair));
      } catch {
        // A certificate that cannot be used: as if there were none.
        done(null);
      }
    },
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    // RFC 8737 section 3: nothing is exchanged over it. Read, or its end would never be seen.
    socket.resume();
    socket.end();
  });
  return {
    concerns: ({ serverName, protocols }) =>
      serverName !== undefined &&
      protocols.length === 1 &&
      protocols[0] === PROTOCOL &&
      challenge(serverName) !== undefined,
    answer: (socket) => void server.emit("connection", socket),
  };
};
