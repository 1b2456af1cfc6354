import { DatabaseLocked, StorageUnavailable } from "../lib/storage-errors.ts";
import type { Commit, Write } from "./write.ts";

/** Writes that wait, in order of arrival. */
export const writeQueue = () => {
  let queue: Write[] = [];
  let onEmpty: (() => void)[] = [];
  return {
    length: () => queue.length,
    push: (write: Write) => void queue.push(write),
    first: (count: number) => queue.slice(0, count),
    removeFirst(count: number) {
      queue = queue.slice(count);
      if (queue.length === 0) for (const done of onEmpty.splice(0)) done();
    },
    /** Removes and returns the writes whose deadline has passed. */
    removeLate(now: number): Write[] {
      const late = queue.filter(({ deadline }) => deadline < now);
      if (late.length > 0) queue = queue.filter(({ deadline }) => deadline >= now);
      this.removeFirst(0);
      return late;
    },
    /** Resolves when no write waits. */
    drain: () => new Promise<void>((done) => (queue.length === 0 ? done() : void onEmpty.push(done))),
  };
};
export type WriteQueue = ReturnType<typeof writeQueue>;

/** How many writes may wait by default. */
const QUEUE_LIMIT = 100_000;

/** The `commit` that puts writes into a queue, and calls `onWrite` for each. */
export const acceptWrites = (
  queue: WriteQueue,
  {
    queueLimit = QUEUE_LIMIT,
    lockWait,
    onWrite,
  }: { queueLimit?: number | undefined; lockWait: number; onWrite: () => void },
): Commit => {
  return (statements, last, options) =>
    new Promise((resolve, reject) => {
      if (queue.length() >= queueLimit) return reject(new StorageUnavailable("too many writes are waiting"));
      queue.push({
        statements,
        last: last as Write["last"],
        deadline: performance.now() + (options?.lockWait ?? lockWait),
        isDerived: options?.isDerived ?? false,
        resolve: resolve as (rows: unknown[]) => void,
        reject,
      });
      onWrite();
    });
};

/** Refuses the writes that have waited too long for another process's lock. */
export const expireWrites = (
  queue: WriteQueue,
  lockedSince: () => number | undefined,
  lockHolder: () => string,
): void => {
  const now = performance.now();
  const late = queue.removeLate(now);
  if (late.length === 0) return;
  const seconds = Math.floor((now - (lockedSince() ?? now)) / 1000);
  const error = new DatabaseLocked(seconds, lockHolder());
  for (const write of late) write.reject(error);
};
