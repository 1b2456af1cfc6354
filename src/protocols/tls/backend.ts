import type { Server } from "bun";
import type { Exemption } from "../../lib/idle-timeout.ts";
import type { Connection } from "./connections.ts";
import type { ResponseBudget } from "./response-budget.ts";

/** The connection of a request. */
export interface RequestContext {
  /** The client's address. */
  address: string;
  /** In lower case. The request's Host is the same. */
  serverName: string;
  /** Runs `work` without the idle timeout of the connection. */
  withoutIdleTimeout<Result>(work: () => Promise<Result>, exemption?: Exemption): Promise<Result>;
}

export type HandleRequest = (request: Request, context: RequestContext) => Response | Promise<Response>;

const LOOPBACK = "127.0.0.1";

const isHttp2 = ({ secure }: Connection): boolean => secure?.alpnProtocol === "h2";

/** Host or :authority without its port and the root's dot, in lower case. */
const hostNameOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d{0,5}$/, "")
    .replace(/\.$/, "");

/** The same URL with https, and without port 443. The targets of CONNECT and of `OPTIONS *` stay unchanged. */
const httpsUrl = (url: string, host: string): string => {
  if (!url.startsWith("http://")) return url;
  const rest = url.slice("http://".length);
  if (!host.endsWith(":443")) return `https://${rest}`;
  return `https://${host.slice(0, -":443".length)}${rest.slice(host.length)}`;
};

/**
 * Listens on loopback for HTTP/1.1 and HTTP/2 without TLS. Only admitted connections are served. A request's URL has https, and
 * its host is the server name of its connection: `misdirected` handles any other with 421 (RFC 9110 section 15.5.20).
 */
export const listenBackend = ({
  fetch,
  misdirected,
  budget,
  onRefused = () => {},
}: {
  fetch: HandleRequest;
  misdirected: (request: Request) => Response | Promise<Response>;
  budget: ResponseBudget;
  /** Called when a client has too many responses in progress. */
  onRefused?: () => void;
}) => {
  const admitted = new Map<number, { connection: Connection; context: RequestContext }>();

  const handle = (request: Request, connection: Connection, context: RequestContext) => {
    const host = request.headers.get("host") ?? "";
    // The target of CONNECT is another server, regardless of the Host.
    if (request.method === "CONNECT") return fetch(request, context);
    if (host !== connection.serverName && hostNameOf(host) !== connection.serverName)
      return misdirected(request);
    // Not a new Request with this body: Bun would read all of it into memory, without backpressure.
    Object.defineProperty(request, "url", { value: httpsUrl(request.url, host), configurable: true });
    return fetch(request, context);
  };

  /**
   * Handles a request once the budget allows its response. Over HTTP/1.1 the limits of connections suffice: each connection has
   * one response in progress.
   */
  const handleWithinBudget: typeof handle = (request, connection, context) => {
    const permission = isHttp2(connection) ? budget.wait(connection.client, request) : undefined;
    if (!permission) return handle(request, connection, context);
    return permission.then((mayRespond) => {
      const { aborted } = request.signal;
      if (mayRespond && !aborted) return handle(request, connection, context);
      if (!aborted) onRefused();
      // Without a body: a client that does not read could keep any number of bodies open, and exhaust the total limit.
      return new Response(null, { status: 503, headers: { "Retry-After": "10" } });
    });
  };

  const contextOf = (connection: Connection): RequestContext => ({
    address: connection.address,
    serverName: connection.serverName,
    async withoutIdleTimeout(work, { hasSeparateLimit = false } = {}) {
      const isUncounted = hasSeparateLimit && isHttp2(connection);
      connection.idleExemptions += 1;
      if (isUncounted) budget.count(connection.client, -1);
      try {
        return await work();
      } finally {
        if (isUncounted) budget.count(connection.client, 1);
        connection.idleExemptions -= 1;
        connection.lastActiveAt = performance.now();
      }
    },
  });

  const server: Server<undefined> = Bun.serve({
    hostname: LOOPBACK,
    port: 0,
    http2: true,
    // The listener closes idle connections, and knows the exempt ones.
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    error: () => new Response(null, { status: 500 }),
    fetch(request) {
      const peer = server.requestIP(request);
      const known = peer?.address === LOOPBACK ? admitted.get(peer.port) : undefined;
      if (!known || known.connection.isClosed) return new Response(null, { status: 403 });
      const { connection, context } = known;
      connection.hadRequest = true;
      connection.headersStartedAt = 0;
      connection.requestsInFlight += 1;
      return Promise.try(handleWithinBudget, request, connection, context).finally(() => {
        connection.requestsInFlight -= 1;
      });
    },
  });

  return {
    port: server.port!,
    /** Serves requests from this local port as those of the connection. */
    admit(localPort: number, connection: Connection): void {
      admitted.set(localPort, { connection, context: contextOf(connection) });
    },
    dismiss: (localPort: number) => void admitted.delete(localPort),
    /** Stops accepting connections, and notifies open ones (GOAWAY). */
    close: () => void server.stop(false),
    /** Closes connections that had a request and have none in flight. */
    closeIdle: () => server.closeIdleConnections(),
    /** Closes all connections. */
    stop: () => void server.stop(true),
  };
};
