import { lookup } from "node:dns/promises";
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
import { openSockets } from "../edge/sockets.ts";
import { respondWhilePreparing } from "../http/health.ts";
import { once } from "../lib/lazy.ts";
import type { Logger } from "../lib/log.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { listenForDns } from "../protocols/dns-server/listen.ts";
import type { AlpnChallenges } from "../protocols/tls/alpn-challenges.ts";
import { type ConnectionLimits, DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { singleHosts } from "../lib/host-addresses.ts";
import { portHolder } from "../lib/port-holder.ts";
import type { Services } from "./services.ts";

/** An address to listen on, and the settings that it comes from. */
interface ListenAddress {
  host: string;
  port: number;
  hostSetting: SettingName;
  portSetting: SettingName;
}

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
  main: { host: portHost, port, hostSetting: portHost === host ? "host" : "portHost", portSetting: "port" },
  http:
    httpPort === undefined
      ? undefined
      : { host, port: httpPort, hostSetting: "host", portSetting: "httpPort" },
  https:
    httpsPort === undefined
      ? undefined
      : { host, port: httpsPort, hostSetting: "host", portSetting: "httpsPort" },
  dns: {
    host: dnsListenHost,
    port: dnsListenPort,
    hostSetting: dnsListenHost === host ? "host" : "dnsListenHost",
    portSetting: "dnsListenPort",
  },
});

const hasAddress = (host: string): Promise<boolean> =>
  lookup(host).then(
    () => true,
    () => false,
  );

/** What to do about the code of a failed `listen`. */
const remedyFor = (
  code: string | undefined,
  { port, hostSetting, portSetting }: ListenAddress,
): string | undefined => {
  const { env, flag: hostFlag } = SETTINGS[hostSetting];
  const { flag: portFlag } = SETTINGS[portSetting];
  if (code === "EADDRNOTAVAIL")
    return `${env} is neither an address nor a name of this machine; choose another with --${hostFlag}, such as 127.0.0.1`;
  if (code === "EACCES")
    return `ports below 1024 need a permission: run it with adoption-store service install, grant CAP_NET_BIND_SERVICE, or choose another with --${portFlag}`;
  if (code !== "EADDRINUSE") return undefined;
  const holder = portHolder(port);
  return `the port is in use${holder ? ` by ${holder}: stop that` : ": stop what listens there"}, or choose another with --${portFlag}`;
};

/** Calls `listen`. @throws OperatorError with a remedy if it fails */
const listenAt = async <Listening>(
  { host, port, hostSetting, portSetting }: ListenAddress,
  listen: (where: { host: string; port: number }) => Listening | Promise<Listening>,
): Promise<Listening> => {
  try {
    return await listen({ host, port });
  } catch (error) {
    // For a name that does not resolve, Bun's error has no code, or that of an earlier call.
    const code = (await hasAddress(host)) ? (error as { code?: string }).code : "EADDRNOTAVAIL";
    const remedy = remedyFor(code, { host, port, hostSetting, portSetting }) ?? reasonOf(error);
    throw new OperatorError(`cannot listen on ${host}:${port}: ${remedy}`, { cause: error });
  }
};

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

type Where = Pick<ListenAddress, "host" | "port">;

/** Every program of this user could share a shared port: makes sure that no other program listens there. */
const claim = async (where: Where, fetch: Handler): Promise<Where> => {
  const alone = listenHttp({ ...where, fetch });
  await alone.stop(0);
  return { ...where, port: alone.port };
};

/** How long the workers of a killed server may take to end. */
const LEAVE_MS = 2000;
const RETRY_MS = 20;

/** Listens, as soon as the workers of a killed server have left the port: they end by themselves. */
const listenBehind = async <Listening>(listen: () => Listening | Promise<Listening>): Promise<Listening> => {
  for (const end = performance.now() + LEAVE_MS; ;) {
    try {
      return await listen();
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE" || performance.now() > end) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
};

interface Listener {
  stop(graceMs: number): Promise<void>;
}

/**
 * Each address has its own sockets: a response over UDP comes from the address that was asked, and port 53 of 127.0.0.53,
 * which systemd-resolved holds, is not touched.
 */
const openDns = async (
  address: ListenAddress,
  respond: Parameters<typeof listenForDns>[2],
  onOpen: (listener: Listener) => void,
): Promise<number> => {
  let { port } = address;
  for (const host of singleHosts(address.host)) {
    const listener = await listenAt({ ...address, host, port }, (where) =>
      listenForDns(where.host, where.port, respond),
    );
    onOpen({ stop: async () => listener.stop() });
    ({ port } = listener);
  }
  return port;
};

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
    listenAt(address, wasKilled ? (where) => listenBehind(() => listen(where)) : listen);
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
