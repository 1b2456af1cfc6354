import { clientNetwork } from "../lib/client-address.ts";
import { eachSecond, type Logger } from "../lib/log.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { MIN_BYTES_PER_SECOND } from "../protocols/tls/responses.ts";
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
const compareIdle = (a: number, b: number): number => (a === b ? 0 : a - b);

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
  const limit = Math.min(connectionsPerClient, fairShare(counts, connections));
  return [...clients.values()].flatMap((own) => {
    if (own.length <= limit) return [];
    const idle = new Map(own.map((socket) => [socket, idleMs(socket.descriptor)]));
    const longestIdleFirst = own.toSorted((a, b) => compareIdle(idle.get(b) ?? 0, idle.get(a) ?? 0));
    return longestIdleFirst.slice(0, own.length - limit);
  });
};

/**
 * How many of the connections that a client may have one of several processes allows: twice its share, because the system
 * spreads few connections unevenly, and a share alone would close some of a client within the limit.
 */
export const shareOfClient = (connections: number, processes: number): number =>
  Math.min(connections, Math.ceil((2 * connections) / processes));

/** HTTP listeners to watch. Where the operating system does not show the sockets, nothing is watched. */
interface Watched {
  ports: readonly number[];
  sockets: Sockets | undefined;
  log: Pick<Logger, "warn">;
}

/** Runs `sweep` until the listeners stop. */
const sweepEvery = (ms: number, sweep: () => void) => {
  const timer = setInterval(sweep, ms);
  return { stop: async () => clearInterval(timer) };
};

const NO_WATCH = { stop: async () => {} };

/** A client on the same machine opens about 50 connections in a millisecond. */
const WATCH_MS = 20;
/** The share of time spent on counting while the number of sockets hardly changes. */
const MAX_TIME_SHARE = 0.02;
const MAX_QUIET_MS = 500;

/**
 * Keeps the connections of HTTP listeners within limits. Bun.serve cannot refuse a connection, and a proxy in front of it
 * would cost a seventh of the throughput. So this counts sockets through the operating system and shuts down the excess
 * within some 20 milliseconds. With a trusted proxy in front, clients have no individual limit: the proxy limits its clients,
 * connects from few addresses, and alone can reach these ports.
 */
export const limitConnections = ({
  limits,
  trustsProxy,
  sockets,
  log,
  ...watched
}: Watched & { limits: ConnectionLimits; trustsProxy: boolean }) => {
  if (!sockets) {
    log.warn("connections over HTTP are not limited on this system: put a reverse proxy in front");
    return NO_WATCH;
  }
  const onClosed = eachSecond((count) =>
    log.warn({ count }, "connections over HTTP beyond the limits were closed"),
  );
  const ports = new Set(watched.ports);
  const { connections } = limits;
  const connectionsPerClient = trustsProxy ? Number.POSITIVE_INFINITY : limits.connectionsPerClient;
  /** With at most this many open files, no limit can be exceeded. */
  const harmlessFiles = Math.min(connectionsPerClient, connections);
  let filesBefore = 0;
  let quietUntil = 0;

  const enforce = () => {
    const excess = excessOf(sockets.accepted(ports), { connections, connectionsPerClient }, sockets.idleMs);
    for (const { descriptor } of excess) sockets.shutdown(descriptor);
    if (excess.length > 0) onClosed(excess.length);
  };
  return sweepEvery(WATCH_MS, () => {
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
  });
};

/** A connection with data that its client has not acknowledged. */
interface Unread {
  /** How many bytes the client has acknowledged. */
  acknowledged: number;
  /** How long data has waited, minus the time allowed at the lowest rate for the bytes that the client has acknowledged since. */
  lateMs: number;
}

/** Sweeps within the time limit. */
const SWEEPS = 6;

const lateAfter = (before: Unread, acknowledged: number, passedMs: number): number => {
  const progress = acknowledged - before.acknowledged;
  // If there are fewer bytes, another connection has the descriptor.
  return progress < 0 ? 0 : Math.max(0, before.lateMs + passedMs - (1000 * progress) / MIN_BYTES_PER_SECOND);
};

/**
 * Closes connections whose clients leave data unread for `stallMs`, even if they keep sending. A client that reads slowly
 * keeps its connection. TCP_USER_TIMEOUT would close it: Linux does not count small steps as progress.
 */
export const closeUnread = ({
  sockets,
  log,
  stallMs = DEFAULT_LIMITS.stallMs,
  ...watched
}: Watched & { stallMs?: number }) => {
  if (!sockets) return NO_WATCH;
  const onClosed = eachSecond((count) =>
    log.warn({ count }, "connections with responses that clients did not read were closed"),
  );
  const ports = new Set(watched.ports);
  const sweepMs = stallMs / SWEEPS;
  let unread: ReadonlyMap<number, Unread> = new Map();
  let sweptAt = performance.now();
  return sweepEvery(sweepMs, () => {
    const now = performance.now();
    // A suspended process could not have sent anything.
    const passedMs = Math.min(now - sweptAt, 2 * sweepMs);
    sweptAt = now;
    const next = new Map<number, Unread>();
    for (const { descriptor, acknowledged } of sockets.unacknowledged(ports)) {
      const before = unread.get(descriptor);
      const lateMs = before ? lateAfter(before, acknowledged, passedMs) : 0;
      if (lateMs < stallMs) next.set(descriptor, { acknowledged, lateMs });
      else {
        sockets.shutdown(descriptor);
        onClosed(1);
      }
    }
    unread = next;
  });
};
