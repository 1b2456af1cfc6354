import type { Database as Client } from "bun:sqlite";
import type { ChangeDetector } from "./change-detection.ts";
import { type Transactions, transactions } from "./transaction.ts";
import type { Write } from "./write.ts";
import { acceptWrites, expireWrites, writeQueue } from "./write-queue.ts";
import { type WriteRunner, writeRunner } from "./write-runner.ts";

export type { Commit, Statement } from "./write.ts";

export interface GroupCommitOptions {
  /** How many writes share one transaction at most; 1 commits each by itself. */
  groupSize?: number;
  /** How long a write waits for a lock that another process holds, in milliseconds. */
  lockWait?: number;
  /** How many writes may wait. */
  queueLimit?: number;
  /** Learns of each transaction, to tell this connection's writes from those of others. */
  changes?: Pick<ChangeDetector, "beginOwn" | "endOwn">;
  /** Describes the process that holds the write lock. */
  lockHolder?: () => string;
  /** Called at the end of each transaction, before its COMMIT. Returns true if it wrote something. */
  beforeCommit?: () => boolean;
}

const RETRY_MS = 10;
/** How long a write waits for a lock by default. */
export const LOCK_WAIT_MS = 5000;

/** Commits writes in one transaction. @returns false if another process holds the lock */
const commitTogether = (
  runWrite: WriteRunner,
  { run, beforeCommit }: Pick<Transactions, "run"> & { beforeCommit: () => boolean },
  writes: readonly Write[],
): boolean => {
  const settlers: (() => void)[] = [];
  const result = run(() => {
    for (const write of writes) settlers.push(runWrite(write));
    return beforeCommit() || writes.some(({ isDerived }) => !isDerived);
  });
  if (result.state === "locked") return false;
  if (result.state === "refused") for (const write of writes) write.reject(result.error);
  else for (const settle of settlers) settle();
  return true;
};

/** Queues writes, and commits the queue once per turn of the event loop. */
export const groupCommit = (
  client: Client,
  {
    groupSize = 1024,
    lockWait = LOCK_WAIT_MS,
    queueLimit,
    changes,
    lockHolder = () => "another process",
    beforeCommit = () => false,
  }: GroupCommitOptions = {},
) => {
  const { run, ...transacting } = transactions(client, changes);
  const runWrite = writeRunner(client);
  const queue = writeQueue();
  let isScheduled = false;
  let isStopped = false;

  const schedule = (delay?: number) => {
    if (isScheduled) return;
    isScheduled = true;
    if (delay === undefined) setImmediate(flush);
    else setTimeout(flush, delay);
  };

  const flush = () => {
    isScheduled = false;
    // A write after `stop` is still tried: the closed connection refuses it.
    if (isStopped && queue.length() === 0) return;
    const writes = queue.first(groupSize);
    const isBlocked =
      writes.length > 0 ? !commitTogether(runWrite, { run, beforeCommit }, writes) : !transacting.canLock();
    if (isBlocked) expire();
    else queue.removeFirst(writes.length);
    if (queue.length() > 0 || isBlocked) schedule(isBlocked ? RETRY_MS : undefined);
  };

  const expire = () => expireWrites(queue, transacting.lockedSince, lockHolder);

  return {
    commit: acceptWrites(queue, { queueLimit, lockWait, onWrite: schedule }),
    ...transacting,
    probe() {
      const result = transacting.probe();
      if (result.state === "locked") schedule(RETRY_MS);
      return result;
    },
    /** Stops waiting for another process's lock to end. */
    stop: () => void (isStopped = true),
    /** Waits until every queued write is on disk or refused. */
    drain: queue.drain,
  };
};

export type GroupCommit = ReturnType<typeof groupCommit>;
