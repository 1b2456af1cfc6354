import { once } from "node:events";
import { type Socket, createServer as createTcpServer, type AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type AlpnChallenges, alpnChallenges, type ChallengeCertificate } from "./alpn-challenges.ts";
import { type HandleRequest, listenBackend } from "./backend.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import { type Connection, connectionTable, DEFAULT_LIMITS, type ConnectionLimits } from "./connections.ts";
import { INTERMEDIATE, type SecureContexts } from "./contexts.ts";
import { proxyConnection } from "./proxy.ts";
import { responseBudget } from "./response-budget.ts";

/** RFC 8446 sections 5.1 and 6: one record with a fatal alert. The server name is unknown (RFC 6066 section 3). */
const UNKNOWN_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
/** The first message is not a valid ClientHello (RFC 8446 section 6.2). */
const DECODE_ERROR = Buffer.from([21, 3, 3, 0, 2, 2, 50]);

/**
 * Sends the reason for a refusal over the unencrypted socket. Ends our side and reads on: closing a socket with unread bytes
 * resets the connection, and the client may lose the bytes that were sent to it. The handshake's time limit applies to a
 * client that stays.
 */
const refuse = (socket: Socket, reason: string | Uint8Array): void => {
  socket.resume();
  socket.end(reason);
};

/** The response to plain HTTP on a TLS port. */
export interface PlainHttpResponse {
  contentType: string;
  body: string;
}

/** RFC 9112 section 9.6: the connection closes after this response. */
const badRequest = ({ contentType, body }: PlainHttpResponse): string =>
  [
    "HTTP/1.1 400 Bad Request",
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
    "\r\n",
  ].join("\r\n");

/** The reason for a client without a ClientHello, by its first bytes: a readable 400 to plain HTTP, an alert to anything else. */
const reasonFor = (plainHttp: PlainHttpResponse, bytes: Uint8Array): string | Uint8Array => {
  const start = Buffer.from(bytes.subarray(0, 5)).toString("latin1");
  // Methods begin with a capital letter; no TLS record and no SSLv2 hello does.
  if (!/^[A-Z]/.test(start)) return DECODE_ERROR;
  return badRequest(plainHttp) + (start === "HEAD " ? "" : plainHttp.body);
};

export interface TlsListenerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** True if other processes of this user may listen on the same port. */
  reusePort?: boolean;
  contexts: Pick<SecureContexts, "find">;
  /** Certificates for TLS-ALPN-01; undefined for names without a pending challenge. */
  challenge?: ChallengeCertificate | AlpnChallenges;
  fetch: HandleRequest;
  /** Handles a request for another host than its connection's. */
  misdirected: (request: Request) => Response | Promise<Response>;
  limits?: Partial<ConnectionLimits>;
  /** Called with the number of responses over HTTP/2 that were reset because the client did not read them. */
  onStalled?: (count: number) => void;
  /** Called when a request over HTTP/2 got 503 because too many responses are in progress. */
  onRefused?: () => void;
  /** The body of the 400 to plain HTTP. */
  plainHttp: PlainHttpResponse;
}

const SWEEP_MS = 1000;
const STOP_SWEEP_MS = 20;

/** The protocols of HTTPS connections (RFC 7301), the preferred one first. */
export const HTTP_PROTOCOLS = ["h2", "http/1.1"] as const;

/**
 * Listens for HTTPS, HTTP/1.1 and HTTP/2, under all names that have a context; they may change while it runs. A client without
 * such a name is refused at its ClientHello. Anything but a ClientHello gets the alert decode_error, and plain HTTP a 400.
 * @throws the operating system's error, such as EADDRINUSE
 */
export const listenTls = async ({
  host,
  port,
  reusePort = false,
  contexts,
  challenge,
  limits: overrides,
  plainHttp,
  onStalled = () => {},
  ...handlers
}: TlsListenerOptions) => {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const connections = connectionTable(limits);
  const budget = responseBudget(limits);
  const { handshakeMs, headersMs, idleMs, stallMs } = limits;
  const challenges = typeof challenge === "function" ? alpnChallenges(challenge, handshakeMs) : challenge;

  const tls = createTlsServer({
    ...INTERMEDIATE,
    ALPNProtocols: [...HTTP_PROTOCOLS],
    handshakeTimeout: handshakeMs,
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
    proxyConnection(connection, secure, backend.port, {
      limits,
      onOpen: (localPort) => backend.admit(localPort, connection),
      onClose: backend.dismiss,
      onResponses: (change) => budget.count(connection.client, change),
      onStalled,
    });
  });

  const onHello = (connection: Connection, hello: ClientHello) => {
    const { socket } = connection;
    if (challenges?.matches(hello)) return challenges.respond(socket);
    if (hello.serverName === undefined || !contexts.find(hello.serverName))
      return refuse(socket, UNKNOWN_NAME);
    connections.setServerName(connection, hello.serverName);
    tls.emit("connection", socket);
  };

  const tcp = createTcpServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    const connection = connections.open(socket);
    if (!connection) return void socket.destroy();
    readClientHello(socket, {
      onHello: (hello) => onHello(connection, hello),
      onMalformed: (bytes) => refuse(socket, reasonFor(plainHttp, bytes)),
    });
  });

  const listening = once(tcp, "listening");
  tcp.listen({ host, port, reusePort });
  await listening;
  const backend = listenBackend({ ...handlers, budget });
  // Enforces the time limits.
  const sweep = setInterval(
    () => {
      const now = performance.now();
      connections.sweep(now);
      budget.sweep(now);
    },
    Math.min(SWEEP_MS, ...[handshakeMs, headersMs, idleMs, stallMs].map((limit) => limit / 4)),
  );

  return {
    port: (tcp.address() as AddressInfo).port,
    /** Destroys all connections of a server name, in lower case. No response is sent over them afterwards. */
    drop: connections.drop,
    /** The server names of open connections. */
    serverNames: connections.serverNames,
    /** The number of open connections, those in their handshake included. */
    connections: (): number => connections.count,
    /** The number of responses over HTTP/2 in progress, and their limit. */
    responses: () => ({ open: budget.used, limit: limits.responses }),
    /** Stops accepting connections and waits, at most `graceMs`, for requests in flight; then destroys all connections. */
    async stop(graceMs: number): Promise<void> {
      tcp.close();
      const until = performance.now() + graceMs;
      backend.close();
      while (connections.count > 0 && performance.now() < until) {
        connections.closeUnused();
        backend.closeIdle();
        await Bun.sleep(STOP_SWEEP_MS);
      }
      for (const connection of connections.all()) connections.close(connection);
      clearInterval(sweep);
      backend.stop();
    },
  };
};

export type TlsListener = Awaited<ReturnType<typeof listenTls>>;
