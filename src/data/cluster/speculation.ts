import { AsyncLocalStorage } from "node:async_hooks";
import { StorageUnavailable } from "../../lib/storage-errors.ts";
import type { Write } from "../db/commit.ts";

/**
 * A request that reads the file as it is. If the next record of the log is its own, or the log has none, no other node has
 * written since it began: all that it read was current, as if it had asked for the end of the log first.
 *
 * It is *open* until the log has shown that, or has it. An open one can run again: it has written nothing.
 */
interface Speculation {
  /** How often other writers had changed the file when it began. */
  readonly basis: number;
  isOpen: boolean;
}

const current = new AsyncLocalStorage<Speculation>();

const openOne = (): Speculation | undefined => {
  const found = current.getStore();
  return found?.isOpen ? found : undefined;
};

/** True in a request whose reads need not wait for the end of the log. */
export const isSpeculative = (): boolean => openOne() !== undefined;

/** Other writers have changed the file since the request read it. Nothing was written. */
class StaleRead extends StorageUnavailable {
  override name = "StaleRead";
}

/** The requests that made writes. @param version how often other writers have changed the file */
export const writeOrigins = (version: () => number) => {
  const origins = new WeakMap<Write, Speculation>();
  return {
    note(write: Write): Write {
      const origin = openOne();
      if (origin) origins.set(write, origin);
      return write;
    },
    /** Refuses those whose requests have read what other writers have changed since, and returns the rest. */
    refuseStale(writes: readonly Write[]): readonly Write[] {
      const now = version();
      const isStale = (write: Write) => (origins.get(write)?.basis ?? now) !== now;
      for (const write of writes)
        if (isStale(write)) write.reject(new StaleRead("other nodes have written meanwhile"));
      return writes.filter((write) => !isStale(write));
    },
    /** The log has these writes, or may have them: their requests must not run again. */
    close(writes: readonly Write[]): void {
      for (const write of writes) {
        const origin = origins.get(write);
        if (origin) origin.isOpen = false;
      }
    },
  };
};

/**
 * Runs a request on the file as it is. A write then takes one round trip to the engine instead of two. If its reads turn out
 * to be old, or the log does not show whether they are, it runs again.
 * @param confirm waits for the end of the log @param run has no effect but its writes
 */
export const speculate = async <Result>(
  { version, confirm }: { version: () => number; confirm: () => Promise<void> },
  run: () => Promise<Result>,
): Promise<Result> => {
  const own: Speculation = { basis: version(), isOpen: true };
  const isFinal = async (): Promise<boolean> => {
    if (!own.isOpen) return true;
    own.isOpen = false;
    return confirm().then(
      () => version() === own.basis,
      () => false,
    );
  };
  try {
    const result = await current.run(own, run);
    if (await isFinal()) return result;
  } catch (error) {
    if (await isFinal()) throw error;
  }
  return run();
};
