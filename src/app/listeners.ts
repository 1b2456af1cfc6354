import type { Config } from "../config/config.ts";
import { descriptorBudget, processFileLimit } from "../edge/file-descriptors.ts";
import type { Handler } from "../edge/handler.ts";
import { type HttpsListener, listenHttps } from "../edge/https-listener.ts";
import { type HttpListener, listenHttp } from "../edge/http-listener.ts";
import { limitConnections } from "../edge/connection-limit/limit.ts";
import { openSockets } from "../edge/connection-limit/sockets.ts";
import { respondWhileMigrating } from "../http/startup.ts";
import { once } from "../lib/lazy.ts";
import type { Logger } from "../lib/log.ts";
import { listenForDns } from "../protocols/dns-server/listen.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { singleHosts } from "./host-addresses.ts";
import { type ListenAddress, listenAt, listenAddresses } from "./listen-addresses.ts";
import type { Services } from "./services.ts";

/** The handlers that the listeners call. */
export interface Handlers {
  fetch: Handler;
  /** Handles requests over HTTPS whose Host is not their connection's. */
  misdirected: Handler;
}

interface HttpListeners {
  /** The listener of PORT. */
  main: HttpListener;
  /** The listener of HTTP_PORT. */
  http: HttpListener | undefined;
}

/** `owner`: the first process of a server. `member`: one that shares its ports. */
type Role = "owner" | "member";

type Where = Pick<ListenAddress, "host" | "port">;

/**
 * Listens for HTTP. A shared port would be shared with every program of this user, so the first process makes sure that
 * nobody listens there.
 */
const listenFor = ({ workers }: Pick<Config, "workers">, role: Role, fetch: Handler) => {
  const reusePort = workers > 1;
  const share = (where: Where) => listenHttp({ ...where, fetch, reusePort });
  if (role === "member" || !reusePort) return share;
  return async (where: Where): Promise<HttpListener> => {
    const alone = listenHttp({ ...where, fetch });
    await alone.stop(0);
    return share({ ...where, port: alone.port });
  };
};

/**
 * The server's listeners. They open before the application exists, because the application needs their ports and
 * connections, and because a migration must respond to health checks. They call the handlers last passed to `handle`.
 */
export const createListeners = (config: Config, log: Logger, role: Role = "owner") => {
  const addresses = listenAddresses(config);
  const sockets = openSockets();
  const limit = processFileLimit();
  const { maxConnections, advice } = descriptorBudget(
    DEFAULT_LIMITS.connections,
    limit,
    addresses.https !== undefined,
  );
  if (advice !== undefined) log.warn(advice);
  const opened: { stop(graceMs: number): Promise<void> }[] = [];
  let handlers: Handlers = { fetch: respondWhileMigrating, misdirected: respondWhileMigrating };
  const fetch: Handler = (request) => handlers.fetch(request);
  const misdirected: Handler = (request) => handlers.misdirected(request);

  const listen = listenFor(config, role, fetch);
  const openAt = async (address: ListenAddress): Promise<HttpListener> => {
    const listener = await listenAt(address, listen);
    opened.push(listener);
    return listener;
  };
  const listenForHttp = async (): Promise<HttpListeners> => {
    const main = await openAt(addresses.main);
    const http = addresses.http && (await openAt(addresses.http));
    const ports = http ? [main.port, http.port] : [main.port];
    opened.push(
      limitConnections({
        ports,
        maxConnections,
        processes: config.workers,
        trustsProxy: config.trustProxy > 0,
        sockets,
        log,
      }),
    );
    return { main, http };
  };

  return {
    /** Opens the ports for HTTP; later calls return the same listeners. @throws OperatorError */
    listenForHttp: once(listenForHttp),
    /** Opens the port for HTTPS, if there is one. @throws OperatorError */
    async listenForHttps(https: Services["https"]): Promise<HttpsListener | undefined> {
      if (!https || !addresses.https) return undefined;
      const { certificates, handshake: challenge } = https;
      const listener = await listenAt(addresses.https, (where) =>
        listenHttps({ ...where, certificates, challenge, fetch, misdirected, maxConnections }),
      );
      opened.push(listener);
      return listener;
    },
    /**
     * Opens the port of the name server, if there is one. Each address has its own sockets: a response over UDP comes from the
     * address that was asked, and port 53 of 127.0.0.53, which systemd-resolved holds, is left alone.
     * @returns the port
     * @throws OperatorError
     */
    async listenForDns(nameserver: Services["nameserver"]): Promise<number | undefined> {
      if (!nameserver) return undefined;
      let { port } = addresses.dns;
      for (const host of singleHosts(addresses.dns.host)) {
        const listener = await listenAt({ ...addresses.dns, host, port }, (where) =>
          listenForDns(where.host, where.port, nameserver.respond),
        );
        opened.push({ stop: async () => listener.stop() });
        ({ port } = listener);
      }
      return port;
    },
    /** Calls the present handler. */
    fetch,
    handle(next: Handlers) {
      handlers = next;
    },
    fileUse: () => ({ open: sockets?.openFiles() ?? 0, limit }),
    /** Stops accepting and waits, at most `graceMs`, for requests in flight. Then it closes all connections. */
    stop: (graceMs: number) => Promise.all(opened.map((listener) => listener.stop(graceMs))),
  };
};
