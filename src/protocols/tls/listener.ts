import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { WebSocketHandler } from "bun";
import { listenBackend, type HandleRequest } from "./backend.ts";
import { alpnChallenges, type ChallengeCertificate } from "./alpn-challenges.ts";
import { connectionTable, DEFAULT_LIMITS, type Connection, type ConnectionLimits } from "./connections.ts";
import { INTERMEDIATE, type SecureContexts } from "./contexts.ts";
import type { ClientHello } from "./client-hello.ts";
import { readClientHello } from "./peek.ts";
import { refusalsFor, refuseName, USE_HTTPS, type PlainHttpResponse } from "./refusals.ts";
import { proxyConnection } from "./proxy.ts";

export interface TlsListenerOptions {
  host: string;
  /** 0: one that is free. */
  port: number;
  contexts: Pick<SecureContexts, "find">;
  /** Certificates for TLS-ALPN-01, while a CA is expected; undefined for names without one. */
  challenge?: ChallengeCertificate;
  fetch: HandleRequest;
  /** The answer to a request for another host than its connection's; without it, a plain 421. */
  misdirected?: (request: Request) => Response | Promise<Response>;
  /** For those who `upgrade`. Its `idleTimeout` should be below `idleMs`, so that its pings keep silent ones open. */
  websocket?: WebSocketHandler<unknown>;
  limits?: Partial<ConnectionLimits>;
  /** The response to plain HTTP, a 400; without it, a line of text. */
  plainHttp?: PlainHttpResponse;
}

export interface TlsListener {
  port: number;
  /** Destroys every open connection of this server name, in lower case, at once: nothing is answered over them after it. */
  drop(name: string): void;
  /** Stops accepting and waits, at most `graceMs`, for what is in flight; then destroys everything. */
  stop(graceMs: number): Promise<void>;
  /** How many are open, those in their handshake too. */
  connections(): number;
}

const SWEEP_MS = 1000;
const STOP_SWEEP_MS = 20;

const listening = async (server: Server, host: string, port: number): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await promise;
  server.off("error", reject);
  return (server.address() as AddressInfo).port;
};

/**
 * Listens for HTTPS: HTTP/1.1 and HTTP/2 under the names that have a context, which may come and go while it runs. Names
 * without one, and clients that send none, are refused by their ClientHello; what is not a ClientHello gets the alert
 * decode_error, and plain HTTP a 400.
 * @throws what the operating system says, such as EADDRINUSE
 */
export const listenTls = async ({
  host,
  port,
  contexts,
  challenge,
  limits: given,
  plainHttp = USE_HTTPS,
  ...handlers
}: TlsListenerOptions): Promise<TlsListener> => {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const connections = connectionTable(limits);
  const refusalOf = refusalsFor(plainHttp);
  const challenges = challenge && alpnChallenges(challenge, limits.handshakeMs);

  const tls = createTlsServer({
    ...INTERMEDIATE,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.handshakeMs,
    SNICallback: (name, done) => done(null, contexts.find(name.toLowerCase())),
  });
  tls.on("tlsClientError", (_error, socket) => socket.destroy());
  tls.on("secureConnection", (secure) => {
    secure.on("error", () => secure.destroy());
    const connection = connections.of(secure);
    if (!connection || connection.isClosed) return void secure.destroy();
    secure.once("close", () => connections.close(connection));
    connection.secure = secure;
    connection.lastActiveAt = performance.now();
    proxyConnection(connection, secure, application.port, {
      lingerMs: limits.lingerMs,
      onOpen: (localPort) => application.admit(localPort, connection),
      onClose: application.dismiss,
    });
  });

  const greet = (connection: Connection, hello: ClientHello) => {
    const { socket } = connection;
    if (challenges?.concerns(hello)) return challenges.answer(socket);
    if (hello.serverName === undefined || !contexts.find(hello.serverName)) return refuseName(socket);
    connections.setServerName(connection, hello.serverName);
    tls.emit("connection", socket);
  };

  const tcp = createTcpServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    const connection = connections.open(socket);
    if (!connection) return void socket.destroy();
    readClientHello(socket, {
      onHello: (hello) => greet(connection, hello),
      onMalformed: (bytes) => refusalOf(bytes)(socket),
    });
  });

  const listeningOn = await listening(tcp, host, port);
  const application = listenBackend(handlers);
  const everyMs = Math.min(
    SWEEP_MS,
    ...[limits.handshakeMs, limits.headersMs, limits.idleMs].map((ms) => ms / 4),
  );
  const sweep = setInterval(() => connections.sweep(performance.now()), everyMs);

  return {
    port: listeningOn,
    drop: connections.drop,
    connections: () => connections.count,
    async stop(graceMs) {
      tcp.close();
      const until = performance.now() + graceMs;
      application.close();
      while (connections.count > 0 && performance.now() < until) {
        connections.endUnused();
        application.endIdle();
        await Bun.sleep(STOP_SWEEP_MS);
      }
      for (const connection of connections.all()) connections.close(connection);
      clearInterval(sweep);
      application.stop();
    },
  };
};
