import { clientNetwork } from "../lib/client-address.ts";
import { eachSecond, type Logger } from "../lib/log.ts";
import type { OpenSocket, Sockets } from "./sockets.ts";

export interface ConnectionLimits {
  connections: number;
  /** The limit for one IPv4 address, or one /64 of IPv6. */
  connectionsPerClient: number;
}

/** The limit per client that leaves all clients together at most `total`. Clients below it lose nothing. */
const fairShare = (counts: readonly number[], total: number): number => {
  let left = total;
  const rising = counts.toSorted((a, b) => a - b);
  for (const [index, count] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (count > share) return share;
    left -= count;
  }
  return Infinity;
};

/** Compares without subtracting infinite times, whose difference is NaN. */
const compareIdle = (one: number, other: number): number => (one === other ? 0 : one - other);

/**
 * The sockets to close. A client above its own limit loses the excess. If all clients together have too many, those with the
 * most lose some first. Each client loses the sockets that have been idle longest.
 */
export const excessOf = (
  sockets: readonly OpenSocket[],
  { connections, connectionsPerClient }: ConnectionLimits,
  idleMs: (descriptor: number) => number,
): OpenSocket[] => {
  const clients = Map.groupBy(sockets, ({ address }) => clientNetwork(address));
  const counts = [...clients.values()].map((own) => Math.min(own.length, connectionsPerClient));
  const most = Math.min(connectionsPerClient, fairShare(counts, connections));
  return [...clients.values()].flatMap((own) => {
    if (own.length <= most) return [];
    const idle = new Map(own.map((socket) => [socket, idleMs(socket.descriptor)]));
    const longestIdleFirst = own.toSorted((a, b) => compareIdle(idle.get(b) ?? 0, idle.get(a) ?? 0));
    return longestIdleFirst.slice(0, own.length - most);
  });
};

/**
 * How many of the connections that a client may have one of several processes allows: twice its share, because the system
 * spreads few connections unevenly, and a share alone would close some of a client within the limit.
 */
export const shareOfClient = (connections: number, processes: number): number =>
  Math.min(connections, Math.ceil((2 * connections) / processes));

export interface ConnectionWatch {
  stop(): Promise<void>;
}

/** A client on the same machine opens about 50 connections in a millisecond. */
const WATCH_MS = 20;
/** The share of time spent on counting while the number of sockets hardly changes. */
const MAX_TIME_SHARE = 0.02;
const MAX_QUIET_MS = 500;

/**
 * Keeps the connections of HTTP listeners within limits. Bun.serve cannot refuse a connection, and a proxy in front of it
 * would cost a seventh of the throughput. So this counts sockets through the operating system and shuts down the excess
 * within some 20 milliseconds.
 * @param onClosed called with the number of connections that were closed
 */
export const watchConnections = ({
  ports,
  limits,
  sockets,
  onClosed,
}: {
  ports: ReadonlySet<number>;
  limits: ConnectionLimits;
  sockets: Sockets;
  onClosed: (count: number) => void;
}): ConnectionWatch => {
  /** With at most this many open files, no limit can be exceeded. */
  const harmlessFiles = Math.min(limits.connectionsPerClient, limits.connections);
  let filesBefore = 0;
  let quietUntil = 0;

  const enforce = () => {
    const excess = excessOf(sockets.accepted(ports), limits, sockets.idleMs);
    for (const { descriptor } of excess) sockets.shutdown(descriptor);
    if (excess.length > 0) onClosed(excess.length);
  };
  const check = () => {
    const files = sockets.openFiles();
    filesBefore = Math.min(filesBefore, files);
    if (files <= harmlessFiles) return;
    const begin = performance.now();
    const hasGrown = files - filesBefore > harmlessFiles / 4;
    if (!hasGrown && begin < quietUntil) return;
    filesBefore = files;
    enforce();
    const end = performance.now();
    quietUntil = end + Math.min(MAX_QUIET_MS, (end - begin) / MAX_TIME_SHARE);
  };
  const timer = setInterval(check, WATCH_MS);
  return { stop: async () => clearInterval(timer) };
};

/** Listeners to watch. Where the operating system does not show the sockets, nothing is watched. */
export interface Watched {
  ports: readonly number[];
  sockets: Sockets | undefined;
  log: Pick<Logger, "warn">;
}

/**
 * Limits the connections of the HTTP listeners on these ports. With a trusted proxy in front, clients have no individual
 * limit: the proxy limits its clients, connects from few addresses, and alone can reach these ports.
 */
export const limitConnections = ({
  ports,
  limits,
  trustsProxy,
  sockets,
  log,
}: Watched & { limits: ConnectionLimits; trustsProxy: boolean }): ConnectionWatch => {
  if (!sockets) {
    log.warn("connections over HTTP are not limited on this system: put a reverse proxy in front");
    return { stop: async () => {} };
  }
  const onClosed = eachSecond((count) =>
    log.warn({ count }, "connections over HTTP beyond the limits were closed"),
  );
  const connectionsPerClient = trustsProxy ? Number.POSITIVE_INFINITY : limits.connectionsPerClient;
  return watchConnections({
    ports: new Set(ports),
    limits: { ...limits, connectionsPerClient },
    sockets,
    onClosed,
  });
};
