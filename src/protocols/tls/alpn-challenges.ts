import { chmodSync, rmSync } from "node:fs";
import { type Socket, connect, createServer as createSocketServer } from "node:net";
import { type SecureContext, createServer } from "node:tls";
import type { ClientHello } from "./client-hello.ts";
import { INTERMEDIATE, type KeyPair, secureContext } from "./contexts.ts";

/** RFC 8737 section 3: the certificate with the digest of the key authorization; undefined if none is pending. */
export type ChallengeCertificate = (name: string) => Promise<KeyPair | undefined>;

const PROTOCOL = "acme-tls/1";

/** True if a CA validates a challenge: ALPN is "acme-tls/1" and nothing else (section 3). */
const isChallenge = ({ serverName, protocols }: ClientHello): boolean =>
  serverName !== undefined && protocols.length === 1 && protocols[0] === PROTOCOL;

export type AlpnChallenges = Pick<ReturnType<typeof alpnChallenges>, "matches" | "respond">;

/** Responds to TLS-ALPN-01 challenges (RFC 8737). */
export const alpnChallenges = (challenge: ChallengeCertificate, handshakeMs: number) => {
  const contextOf = async (name: string): Promise<SecureContext | undefined> => {
    try {
      const pair = await challenge(name);
      return pair && secureContext(pair);
    } catch {
      // A certificate that cannot be used counts as none.
      return undefined;
    }
  };
  const respond = async (name: string, done: (error: null, context?: SecureContext) => void) =>
    done(null, await contextOf(name.toLowerCase()));
  const server = createServer({
    ...INTERMEDIATE,
    ALPNProtocols: [PROTOCOL],
    handshakeTimeout: handshakeMs,
    SNICallback: (name, done) => void respond(name, done),
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    // RFC 8737 section 3: no data is exchanged. Without reading, the end of the connection would go unnoticed.
    socket.resume();
    socket.end();
  });
  return {
    matches: isChallenge,
    /** Completes the handshake on a socket whose ClientHello is still unread, and closes it. */
    respond: (socket: Socket) => void server.emit("connection", socket),
  };
};

/** Passes challenges on to the process that listens with `listenForChallenges`. */
export const forwardedChallenges = (path: string): AlpnChallenges => ({
  matches: isChallenge,
  respond(socket) {
    const owner = connect(path);
    owner.on("error", () => socket.destroy());
    socket.on("close", () => owner.destroy());
    // Without reading, the end of the connection would go unnoticed.
    owner.on("close", () => socket.end().resume());
    socket.pipe(owner).pipe(socket);
  },
});

/** Responds to the challenges of other processes, on a socket that only this user can open. */
export const listenForChallenges = async (
  path: string,
  challenge: ChallengeCertificate,
  handshakeMs: number,
): Promise<{ stop(): void }> => {
  rmSync(path, { force: true });
  const challenges = alpnChallenges(challenge, handshakeMs);
  const server = createSocketServer((socket) => {
    socket.on("error", () => socket.destroy());
    challenges.respond(socket);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  chmodSync(path, 0o600);
  return {
    stop() {
      server.close();
      rmSync(path, { force: true });
    },
  };
};
