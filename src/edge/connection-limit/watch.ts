import { excessOf, type ConnectionLimits } from "./excess.ts";
import type { Sockets } from "./sockets.ts";

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
  return {
    stop: async () => clearInterval(timer),
  };
};
