import { eachSecond } from "../lib/log.ts";
import { DEFAULT_LIMITS } from "../protocols/tls/connections.ts";
import { MIN_BYTES_PER_SECOND } from "../protocols/tls/responses.ts";
import type { Sockets } from "./sockets.ts";
import type { ConnectionWatch, Watched } from "./connection-limit.ts";

/** A connection with data that its client has not acknowledged. */
interface Unread {
  /** How many bytes the client has acknowledged. */
  acknowledged: number;
  /** How long data has waited, minus the time allowed at the lowest rate for the bytes that the client has acknowledged since. */
  lateMs: number;
}

/** Sweeps within the time limit. */
const SWEEPS = 6;

const lateAfter = (before: Unread, acknowledged: number, passedMs: number): number =>
  // Another connection has the descriptor.
  acknowledged < before.acknowledged
    ? 0
    : Math.max(
        0,
        before.lateMs + passedMs - (1000 * (acknowledged - before.acknowledged)) / MIN_BYTES_PER_SECOND,
      );

/**
 * Closes connections whose clients leave data unread for `stallMs`, even if they keep sending. A client that reads slowly
 * keeps its connection. TCP_USER_TIMEOUT would close it: Linux does not count small steps as progress.
 * @param onClosed called with the number of connections that were closed
 */
export const watchUnread = ({
  ports,
  sockets,
  stallMs,
  onClosed,
}: {
  ports: ReadonlySet<number>;
  sockets: Pick<Sockets, "unacknowledged" | "shutdown">;
  stallMs: number;
  onClosed: (count: number) => void;
}): ConnectionWatch => {
  const sweepMs = stallMs / SWEEPS;
  let unread: ReadonlyMap<number, Unread> = new Map();
  let sweptAt = performance.now();
  const sweep = () => {
    const now = performance.now();
    // A suspended process could not have sent anything.
    const passedMs = Math.min(now - sweptAt, 2 * sweepMs);
    sweptAt = now;
    const next = new Map<number, Unread>();
    let closed = 0;
    for (const { descriptor, acknowledged } of sockets.unacknowledged(ports)) {
      const before = unread.get(descriptor);
      const lateMs = before ? lateAfter(before, acknowledged, passedMs) : 0;
      next.set(descriptor, { acknowledged, lateMs });
      if (lateMs < stallMs) continue;
      sockets.shutdown(descriptor);
      next.delete(descriptor);
      closed += 1;
    }
    unread = next;
    if (closed > 0) onClosed(closed);
  };
  const timer = setInterval(sweep, sweepMs);
  return { stop: async () => clearInterval(timer) };
};

/** Watches the HTTP listeners on these ports. */
export const closeUnread = ({ ports, sockets, log }: Watched): ConnectionWatch => {
  if (!sockets) return { stop: async () => {} };
  const onClosed = eachSecond((count) =>
    log.warn({ count }, "connections with responses that clients did not read were closed"),
  );
  return watchUnread({ ports: new Set(ports), sockets, stallMs: DEFAULT_LIMITS.stallMs, onClosed });
};
