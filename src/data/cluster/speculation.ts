import { AsyncLocalStorage } from "node:async_hooks";
import { EngineUnavailable } from "../../lib/storage-errors.ts";
import type { Write } from "../db/commit.ts";

/**
 * A request that reads the file as it is. If its record is then appended, no other node has written since it began: all that it
 * read was current, as if it had asked for the end of the log first.
 */
interface Speculation {
  /** How often other writers had changed the file when it began. */
  readonly basis: number;
  /** Its reads are not confirmed yet, and it has written nothing: it can run again. */
  isOpen: boolean;
  /** The log has a write of it, or may have one. */
  hasWritten: boolean;
}

const current = new AsyncLocalStorage<Speculation>();

/** True in a request whose reads need not wait for the end of the log. */
export const isSpeculative = (): boolean => current.getStore()?.isOpen === true;

/** Other writers have changed the file since the request read it. Nothing was written. */
class StaleRead extends EngineUnavailable {
  override name = "StaleRead";
}

/** The requests that made writes. @param version how often other writers have changed the file */
export const writeOrigins = (version: () => number) => {
  const origins = new WeakMap<Write, Speculation>();
  return {
    note(write: Write): Write {
      const origin = current.getStore();
      if (origin) origins.set(write, origin);
      return write;
    },
    /** Refuses those whose requests have read what other writers have changed since, and returns the rest. */
    refuseStale(writes: readonly Write[]): readonly Write[] {
      const now = version();
      const isStale = (write: Write) => {
        const origin = origins.get(write);
        return origin?.isOpen === true && origin.basis !== now;
      };
      for (const write of writes)
        if (isStale(write)) write.reject(new StaleRead("other nodes have written meanwhile"));
      return writes.filter((write) => !isStale(write));
    },
    /** The reads of the request are confirmed, or its outcome is unknown: it must not run again. */
    close(write: Write, hasWritten: boolean): void {
      const origin = origins.get(write);
      if (!origin) return;
      origin.isOpen = false;
      origin.hasWritten ||= hasWritten;
    },
  };
};

/** @param hasWritten the log has a write of the request, or may have one */
export type Outcome<Result> = { readonly result: Result; readonly hasWritten: boolean };

/**
 * Runs a request on the file as it is. A write then takes one round trip to the engine instead of two. If its reads turn out
 * to be old, or the log does not show whether they are, it runs again.
 * @param mayBeCurrent otherwise it waits for the end of the log first @param confirm waits for the end of the log
 * @param run may run twice: the first run has written nothing then, but its other effects remain
 */
export const speculate = async <Result>(
  {
    mayBeCurrent,
    version,
    confirm,
  }: { mayBeCurrent: boolean; version: () => number; confirm: () => Promise<void> },
  run: () => Promise<Result>,
): Promise<Outcome<Result>> => {
  const own: Speculation = { basis: version(), isOpen: mayBeCurrent, hasWritten: false };
  const finish = (result: Result) => ({ result, hasWritten: own.hasWritten });
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
    if (await isFinal()) return finish(result);
  } catch (error) {
    if (await isFinal()) throw error;
  }
  return finish(await current.run(own, run));
};
