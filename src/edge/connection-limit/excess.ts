import { clientNetwork } from "../../lib/client-address.ts";
import type { OpenSocket } from "./sockets.ts";

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
