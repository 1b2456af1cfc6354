import type { Server, WebSocketHandler } from "bun";
import type { Connection } from "./connections.ts";

/** Of the connection over which a request came. */
export interface RequestContext {
  /** The client's address. */
  address: string;
  /** In lower case; the request's Host is the same. */
  serverName: string;
  /** While `work` runs, the connection may be silent for longer than an idle one lives. */
  withoutIdleTimeout<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes a WebSocket of the request, which is then answered with undefined; false if it does not ask for one. */
  upgrade(request: Request, options?: { headers?: Headers; data?: unknown }): boolean;
}

export type HandleRequest = (
  request: Request,
  visit: RequestContext,
) => Response | undefined | Promise<Response | undefined>;

export interface Backend {
  port: number;
  /** Says whose the connection from this local port is; nobody's are refused. */
  admit(localPort: number, connection: Connection): void;
  dismiss(localPort: number): void;
  /** Takes no more connections, and tells those that are open (GOAWAY). */
  close(): void;
  /** Ends connections that were used and have nothing in flight. */
  endIdle(): void;
  /** Ends all. */
  stop(): void;
}

interface Admitted {
  connection: Connection;
  visit: RequestContext;
}

const LOOPBACK = "127.0.0.1";

const misdirectedAnswer = (): Response =>
  new Response("Nothing is served under this host name over this connection.\n", {
    status: 421,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });

const empty = (status: number): Response => new Response(null, { status });

/** Host or :authority without its port and the root's dot, in lower case. */
const hostNameOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d{0,5}$/, "")
    .replace(/\.$/, "");

/** The same URL over https, without a port 443. The targets of CONNECT and of `OPTIONS *` stay unchanged. */
const securedUrl = (url: string, host: string): string => {
  if (!url.startsWith("http://")) return url;
  const rest = url.slice("http://".length);
  if (!host.endsWith(":443")) return `https://${rest}`;
  return `https://${host.slice(0, -":443".length)}${rest.slice(host.length)}`;
};

const countedOff = <Result>(connection: Connection, answer: Result | Promise<Result>) => {
  if (!(answer instanceof Promise)) {
    connection.requestsInFlight -= 1;
    return answer;
  }
  return answer.finally(() => {
    connection.requestsInFlight -= 1;
  });
};

/**
 * The HTTP server behind the front: on loopback, HTTP/1.1 and HTTP/2 without TLS, for connections that were admitted. A
 * request's URL says https, and its host is the server name of its connection: others are answered by `misdirected` (RFC
 * 9110 section 15.5.20), 421.
 */
export const listenBackend = ({
  fetch,
  misdirected = misdirectedAnswer,
  websocket,
}: {
  fetch: HandleRequest;
  misdirected?: (request: Request) => Response | Promise<Response>;
  websocket?: WebSocketHandler<unknown>;
}): Backend => {
  const admitted = new Map<number, Admitted>();

  const visitOf = (connection: Connection): RequestContext => ({
    address: connection.address,
    serverName: connection.serverName,
    async withoutIdleTimeout(work) {
      connection.idleExemptions += 1;
      try {
        return await work();
      } finally {
        connection.idleExemptions -= 1;
        connection.lastActiveAt = performance.now();
      }
    },
    upgrade(request, options) {
      connection.isUpgraded = server.upgrade(request, { data: undefined, ...options });
      return connection.isUpgraded;
    },
  });

  const handle = (request: Request, { connection, visit }: Admitted) => {
    const host = request.headers.get("host") ?? "";
    // The target of CONNECT is another server, whatever the Host says.
    if (request.method === "CONNECT") return fetch(request, visit);
    if (host !== connection.serverName && hostNameOf(host) !== connection.serverName)
      return misdirected(request);
    // A new Request with this one's body would not hold back its sender: Bun reads all of it into memory.
    Object.defineProperty(request, "url", { value: securedUrl(request.url, host), configurable: true });
    return fetch(request, visit);
  };

  const server: Server<unknown> = Bun.serve<unknown>({
    hostname: LOOPBACK,
    port: 0,
    http2: true,
    // The front ends what is idle, and knows who may be.
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    error: () => empty(500),
    websocket: websocket ?? { message() {} },
    fetch(request) {
      const peer = server.requestIP(request);
      const known = peer?.address === LOOPBACK ? admitted.get(peer.port) : undefined;
      if (!known || known.connection.isClosed) return empty(403);
      const { connection } = known;
      connection.hadRequest = true;
      connection.headersStartedAt = 0;
      connection.requestsInFlight += 1;
      try {
        return countedOff(connection, handle(request, known));
      } catch (error) {
        connection.requestsInFlight -= 1;
        throw error;
      }
    },
  });

  return {
    port: server.port!,
    admit: (localPort, connection) =>
      void admitted.set(localPort, { connection, visit: visitOf(connection) }),
    dismiss: (localPort) => void admitted.delete(localPort),
    close: () => void server.stop(false),
    endIdle: () => server.closeIdleConnections(),
    stop: () => void server.stop(true),
  };
};
