import type { Log, WriteLease } from "./log.ts";

/** Notifies waiters that the log may have grown. */
export const logGrowth = () => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    notify(): void {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    next: (): Promise<void> => promise,
  };
};

/** How long a node keeps writing while others wait. */
const HOLD_MS = 60;

/** When this node takes the write lease, and when it hands it over. It is only taken while several nodes write concurrently. */
export const writeLease = (log: Pick<Log, "writeLease">) => {
  let lease: WriteLease | undefined;
  let since = 0;
  let isContended = false;

  const release = async (reason: string): Promise<void> => {
    const held = lease;
    lease = undefined;
    await held?.release(reason);
  };

  return {
    /** False if this node need not wait before it writes. */
    mustWait: () => isContended && lease === undefined,
    async take(): Promise<void> {
      try {
        lease = await log.writeLease();
        since = performance.now();
      } catch {
        // Safety does not depend on it, and the append fails for the same reason.
      }
    },
    isHeld: () => lease !== undefined,
    /** Another node's record came first, or waits. */
    contend: (isNow: boolean): void => void (isContended = isNow),
    /** Lets others write, once this node has for long enough. */
    async handOver(): Promise<void> {
      const heldMs = performance.now() - since;
      if (lease && heldMs > HOLD_MS) await release(`handed over after ${Math.round(heldMs)} ms`);
    },
    release: (): Promise<void> => release("no write is queued"),
  };
};
