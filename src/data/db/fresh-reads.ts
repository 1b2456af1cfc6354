import type { Database as Client } from "bun:sqlite";
import { lruCache } from "../../lib/lru.ts";
import { rollBack } from "./transaction.ts";

/**
 * Calls in the same turn of the event loop share one run of `begin`, after the turn. Under load a request then takes 19
 * microseconds instead of 26, mostly because the responses of a turn are built one after the other.
 * @param end runs when all that waited has run to its next event, and before any other event is handled
 */
export const oncePerTurn = (begin: () => void, end: () => void): (() => Promise<void>) => {
  let pending: Promise<void> | undefined;
  return () =>
    (pending ??= new Promise((resolve) => {
      setImmediate(() => {
        pending = undefined;
        begin();
        resolve();
      });
      setImmediate(end);
    }));
};

/**
 * Lets the reads that wait for the same `fresh` share a transaction. SQLite takes and releases a lock for each read outside of
 * one, which is most of the time that a read by id takes. A write may begin at any time: it ends the transaction first.
 * @param detect looks for writes of others
 */
export const sharedReads = (client: Client, detect: () => void) => {
  const beginStatement = client.prepare("BEGIN");
  const endStatement = client.prepare("COMMIT");
  let isOpen = false;
  let isStopped = false;
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    try {
      if (client.inTransaction) endStatement.run();
    } catch {
      // A read found damage, which its request reports.
      rollBack(client);
    }
  };
  return {
    begin(): void {
      detect();
      if (isStopped || client.inTransaction) return;
      beginStatement.run();
      isOpen = true;
    },
    end,
    /** Ends the transaction, and begins no other: the connection may be closed. */
    stop(): void {
      isStopped = true;
      end();
    },
  };
};

export const freshReads = (client: Client, detect: () => void) => {
  const { begin, end, stop } = sharedReads(client, detect);
  const fresh = oncePerTurn(begin, end);
  return { fresh, recent: fresh, stop };
};

/**
 * Caches the values that `read` finds, until another process writes or `clear` is called. A value is never older than the last
 * acknowledged change of another process. Call `clear` after each change of this one.
 */
export const cachedReads = <Key, Value>(
  { fresh, foreignVersion: version }: { fresh: () => Promise<void>; foreignVersion: () => number },
  maxEntries: number,
  read: (key: Key) => Value | undefined,
) => {
  const cached = lruCache<Key, Value>({ maxEntries, version });
  return {
    async find(key: Key): Promise<Value | undefined> {
      await fresh();
      const value = cached.get(key) ?? read(key);
      if (value !== undefined) cached.set(key, value);
      return value;
    },
    clear: cached.clear,
  };
};
