import { reasonOf } from "../../../lib/reason.ts";
import type { WriteLease } from "../log.ts";
import { firstWithin } from "./attempt.ts";
import type { HeldKeys, LeasedKey } from "./held-keys.ts";

/** The line of nodes that wait for the write lease. The first one has it. */
export interface Line {
  /** Puts this node at the end of the line. @returns undefined while an earlier place of this node has not expired */
  join(ttlMs: number): Promise<LeasedKey | undefined>;
  /** Whether this node is in line, and no other before it. */
  isFirst(patienceMs: number): Promise<boolean>;
  /** Calls back when the line may have moved, and after every reconnection, until `signal`. */
  watch(onMove: () => void, signal: AbortSignal): void;
}

/** Logs a decision with its reason. */
export type Debug = (details: { reason: string }, decision: string) => unknown;

/** How long a node that has stopped keeps the write lease, and its place in the line; etcd looks for ended leases twice a second. */
const TTL_MS = 2000;
/** How long a node waits for the write lease, before it writes without. */
const PATIENCE_MS = 3500;
/** For the case that a notification does not come. */
const LOOK_MS = 250;

const WITHOUT_LEASE: WriteLease = { release: async () => {} };

/** Takes the write lease: first come, first served. */
export const writeLeases = ({ join, isFirst, watch }: Line, held: HeldKeys, debug: Debug) => {
  const closing = new AbortController();
  let isWatching = false;
  /** Called when the line may have moved. */
  let wake: (() => void) | undefined;

  const startWatch = (): void => {
    if (!isWatching) watch(() => wake?.(), closing.signal);
    isWatching = true;
  };

  /** Waits at this node's place in the line. @returns why it does not have the lease; undefined if it has */
  const refusalAt = async (lost: AbortSignal, end: number): Promise<string | undefined> => {
    for (;;) {
      const { promise: moved, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      if (await isFirst(Math.max(1, end - performance.now()))) return undefined;
      await firstWithin([moved], LOOK_MS);
      if (lost.aborted) return "its place in the line expired";
      if (closing.signal.aborted) return "the log was closed";
      if (performance.now() > end) return `other nodes held it for ${PATIENCE_MS} ms`;
    }
  };

  const continueWithout = (reason: string): WriteLease => {
    debug({ reason }, "writes without the write lease");
    return WITHOUT_LEASE;
  };

  return {
    /** Waits in line. It does not throw: without an engine, the node continues without the lease. */
    async take(): Promise<WriteLease> {
      startWatch();
      const since = performance.now();
      const place = await held.hold(() => join(TTL_MS), TTL_MS).catch(reasonOf);
      if (place === undefined) return continueWithout("its previous place has not expired");
      if (typeof place === "string") return continueWithout(place);
      const refusal = await refusalAt(place.lost, since + PATIENCE_MS).catch(reasonOf);
      if (refusal !== undefined) {
        void place[Symbol.asyncDispose]();
        return continueWithout(refusal);
      }
      const waitedMs = Math.round(performance.now() - since);
      debug({ reason: `first in line after ${waitedMs} ms` }, "took the write lease");
      place.lost.addEventListener("abort", () =>
        debug({ reason: String(place.lost.reason) }, "lost the write lease"),
      );
      return {
        async release(reason) {
          await place[Symbol.asyncDispose]();
          debug({ reason }, "released the write lease");
        },
      };
    },
    close: (): void => closing.abort(),
  };
};
