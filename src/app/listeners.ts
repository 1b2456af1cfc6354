import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { type SettingName, SETTINGS } from "../config/settings.ts";
import { workersSocketPath } from "../data/data-dir/paths.ts";
import { closeUnread, limitConnections, shareOfClient } from "../edge/connection-limit.ts";
import {
  type DescriptorBudget,
  descriptorBudget,
  processFileLimit,
  streamBudget,
} from "../edge/file-descriptors.ts";
import { type Handler, type HttpListener, listenHttp, replaceableHandler } from "../edge/http-listener.ts";
import { type HttpsListener, listenHttps } from "../edge/https-listener.ts";
import {
  claim,
  listenAfterWorkers,
  type ListenAddress,
  listenAt,
  type Listener,
  openDns,
  type Where,
} from "../edge/listen.ts";
import { openSockets } from "../edge/sockets.ts";
import { respondWhilePreparing } from "../http/health.ts";
import { once } from "../lib/lazy.ts";
import type { Logger } from "../lib/log.ts";
import type { AlpnChallenges } from "../protocols/tls/alpn-challenges.ts";
import { type ConnectionLimits, DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import type { Services } from "./services.ts";

const addressOf = (
  host: string,
  port: number,
  hostSetting: SettingName,
  portSetting: SettingName,
): ListenAddress => {
  const { env, flag } = SETTINGS[hostSetting];
  return { host, port, hostSetting: { env, flag }, portFlag: SETTINGS[portSetting].flag };
};

interface ListenAddresses {
  /** The address of PORT. */
  main: ListenAddress;
  http: ListenAddress | undefined;
  https: ListenAddress | undefined;
  /** Of the name server. */
  dns: ListenAddress;
}

/** Reads the addresses from the settings. */
const listenAddresses = ({
  host,
  port,
  portHost,
  httpPort,
  httpsPort,
  dnsListenHost,
  dnsListenPort,
}: Config): ListenAddresses => ({
  main: addressOf(portHost, port, portHost === host ? "host" : "portHost", "port"),
  http: httpPort === undefined ? undefined : addressOf(host, httpPort, "host", "httpPort"),
  https: httpsPort === undefined ? undefined : addressOf(host, httpsPort, "host", "httpsPort"),
  dns: addressOf(
    dnsListenHost,
    dnsListenPort,
    dnsListenHost === host ? "host" : "dnsListenHost",
    "dnsListenPort",
  ),
});

/** The handlers that the listeners call. */
interface Handlers {
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

/** In a worker: the state from its owner. */
interface Member {
  /** Pending TLS-ALPN-01 challenges. */
  challenges: AlpnChallenges;
}

/** Makes sure that the ports for HTTPS and of the name server can be opened. @throws OperatorError */
export const probePorts = async (config: Config): Promise<void> => {
  const { https, dns } = listenAddresses(config);
  if (https) await listenAt(https, (where) => claim(where, respondWhilePreparing));
  if (config.nameserver.length === 0) return;
  await using probes = new AsyncDisposableStack();
  await openDns(
    dns,
    () => undefined,
    (listener) => probes.defer(() => listener.stop(0)),
  );
};

/** The files of one process must suffice for all connections: each may have a request that is forwarded to the owner. */
const budgetOf = ({ httpsPort }: Config, files: number): DescriptorBudget =>
  descriptorBudget(DEFAULT_LIMITS.connections, DEFAULT_LIMITS.responses, files, httpsPort !== undefined);

/** The limits of one process, for HTTP and also for HTTPS: its share of the limits of all processes together. */
export const connectionLimits = (
  { maxConnections, maxResponses }: DescriptorBudget,
  workers: number,
): Pick<ConnectionLimits, "connections" | "connectionsPerClient" | "responses" | "responsesPerClient"> => ({
  connections: Math.ceil(maxConnections / workers),
  connectionsPerClient: shareOfClient(DEFAULT_LIMITS.connectionsPerClient, workers),
  responses: Math.ceil(maxResponses / workers),
  responsesPerClient: shareOfClient(DEFAULT_LIMITS.responsesPerClient, workers),
});

/** The limit on event streams of all processes together. The owner holds the streams. */
export const eventStreamLimit = (
  wanted: number,
  budget: DescriptorBudget,
  log: Pick<Logger, "warn">,
): number => {
  const { maxStreams, advice } = streamBudget(wanted, budget);
  if (advice !== undefined) log.warn(advice);
  return maxStreams;
};

/**
 * The server's listeners. They open before the application exists, because the application needs their ports and
 * connections, and because a migration must respond to health checks. They call the handlers last passed to `handle`.
 * @param limit how many files this process may open
 */
export const createListeners = (config: Config, log: Logger, member?: Member, limit = processFileLimit()) => {
  const addresses = listenAddresses(config);
  const sockets = openSockets();
  const budget = budgetOf(config, limit);
  const limits = connectionLimits(budget, config.workers);
  const opened: Listener[] = [];
  const { handle: fetch, replace: replaceFetch } = replaceableHandler(respondWhilePreparing);
  const { handle: misdirected, replace: replaceMisdirected } = replaceableHandler(respondWhilePreparing);

  const reusePort = config.workers > 1;
  // A server that stops removes the socket.
  const wasKilled = !member && existsSync(workersSocketPath(config.dataDir));
  const listenWhere = <Listening>(
    address: ListenAddress,
    listen: (where: Where) => Listening | Promise<Listening>,
  ): Promise<Listening> =>
    listenAt(address, wasKilled ? (where) => listenAfterWorkers(() => listen(where)) : listen);
  const ownPort = (where: Where): Where | Promise<Where> =>
    reusePort && !member ? claim(where, fetch) : where;
  const openAt = async (address: ListenAddress): Promise<HttpListener> => {
    const listener = await listenWhere(address, async (where) =>
      listenHttp({ ...(await ownPort(where)), fetch, reusePort }),
    );
    opened.push(listener);
    return listener;
  };
  const listenForHttp = async (): Promise<HttpListeners> => {
    const main = await openAt(addresses.main);
    const http = addresses.http && (await openAt(addresses.http));
    const ports = http ? [main.port, http.port] : [main.port];
    const trustsProxy = config.trustProxy > 0;
    opened.push(closeUnread({ ports, sockets, log }));
    opened.push(limitConnections({ ports, limits, trustsProxy, sockets, log }));
    // The owner logs it for all workers.
    if (budget.advice !== undefined && !member) log.warn(budget.advice);
    return { main, http };
  };

  return {
    /** Opens the ports for HTTP; later calls return the same listeners. @throws OperatorError */
    listenForHttp: once(listenForHttp),
    /** Opens the port for HTTPS, if there is one. @throws OperatorError */
    async listenForHttps(https: Services["https"]): Promise<HttpsListener | undefined> {
      if (!https || !addresses.https) return undefined;
      const { certificates, handshake } = https;
      const challenge = member?.challenges ?? handshake;
      const listener = await listenWhere(addresses.https, async (where) =>
        listenHttps({
          ...(await ownPort(where)),
          certificates,
          challenge,
          fetch,
          misdirected,
          reusePort,
          limits,
          log,
        }),
      );
      opened.push(listener);
      opened.push(closeUnread({ ports: [listener.port], sockets, log }));
      return listener;
    },
    /** Opens the port of the name server, if there is one. @returns the port. @throws OperatorError */
    listenForDns: async (nameserver: Services["nameserver"]): Promise<number | undefined> =>
      nameserver && openDns(addresses.dns, nameserver.respond, (listener) => void opened.push(listener)),
    /** Calls the current handler. */
    fetch,
    handle(next: Handlers) {
      replaceFetch(next.fetch);
      replaceMisdirected(next.misdirected);
    },
    budget,
    fileUse: () => ({ open: sockets?.openFiles() ?? 0, limit }),
    /** Stops accepting and waits, at most `graceMs`, for requests in flight. Then it closes all connections. */
    stop: (graceMs: number) => Promise.all(opened.map((listener) => listener.stop(graceMs))),
  };
};
