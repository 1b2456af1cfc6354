import type { Database as Client } from "bun:sqlite";
import type { ChangeDetector } from "./change-detection.ts";
import { DatabaseLocked, StorageUnavailable, isStorageFailure } from "../lib/storage-errors.ts";
import { type Transactions, transactions } from "./transaction.ts";

/** A prepared query of Drizzle's: what it returns for the values of its placeholders. */
interface Prepared<Rows> {
  all(values?: Record<string, unknown>): Rows;
}

/** One prepared write and its values. */
export interface Statement<Rows = unknown> {
  readonly query: Prepared<Rows>;
  readonly values: Record<string, unknown>;
}

type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: Statements[K] extends Statement<infer Rows> ? Rows : never;
};

/**
 * Writes the statements of one atomic act: all of them or none. Answers with the rows of each when they are on disk.
 * Acts that arrive together share one transaction and one fsync; an act that breaks a constraint fails alone.
 * @param last asked inside the transaction, with the rows, for one more statement of the same act; undefined: there is none
 * @throws StorageUnavailable when the storage refused; nothing of the act was written, unless it is OutcomeUnknown.
 */
export type Commit = <const Statements extends readonly Statement[]>(
  statements: Statements,
  last?: (rows: RowsOf<Statements>) => Statement | undefined,
) => Promise<RowsOf<Statements>>;

interface Write {
  statements: readonly Statement[];
  last: ((rows: unknown[]) => Statement | undefined) | undefined;
  since: number;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

export interface GroupCommit extends Omit<Transactions, "run" | "canLock"> {
  commit: Commit;
  /** Waits until everything that was queued is on disk or refused. */
  drain(): Promise<void>;
  /** Stops looking whether another process's lock has ended. */
  stop(): void;
}

export interface GroupCommitOptions {
  /** Most acts that share one transaction; 1 commits each by itself. */
  groupSize?: number;
  /** How long an act waits for a lock that another process holds, in milliseconds. */
  lockWait?: number;
  /** Most acts that may wait. */
  queueLimit?: number;
  /** Told of each transaction, so that it can tell this connection's writes from others'. */
  changes?: Pick<ChangeDetector, "beginOwn" | "endOwn">;
  /** Describes the process that holds the write lock. */
  lockHolder?: () => string;
}

const RETRY_MS = 10;
/** How long an act waits for a lock by default. */
export const LOCK_WAIT_MS = 5000;

/** Queues acts and commits, once in a turn of the event loop, those that have gathered. */
export const groupCommit = (
  client: Client,
  {
    groupSize = 1024,
    lockWait = LOCK_WAIT_MS,
    queueLimit = 100_000,
    changes,
    lockHolder = () => "another process",
  }: GroupCommitOptions = {},
): GroupCommit => {
  const { run, ...transacting } = transactions(client, changes);
  let queue: Write[] = [];
  let scheduled = false;
  let isStopped = false;
  let idle: (() => void)[] = [];

  const schedule = (delay?: number) => {
    if (scheduled) return;
    scheduled = true;
    if (delay === undefined) setImmediate(flush);
    else setTimeout(flush, delay);
  };

  const flush = () => {
    scheduled = false;
    // An act that comes after the close is still tried: the closed connection refuses it.
    if (isStopped && queue.length === 0) return;
    const acts = queue.slice(0, groupSize);
    const blocked = acts.length > 0 ? !commitTogether(acts) : !transacting.canLock();
    if (blocked) expire();
    else queue = queue.slice(acts.length);
    if (queue.length > 0 || blocked) schedule(blocked ? RETRY_MS : undefined);
    if (queue.length === 0) for (const done of idle.splice(0)) done();
  };

  /** Refuses the acts that have waited too long for another process's lock. */
  const expire = () => {
    const now = performance.now();
    const inTime = queue.findIndex((act) => act.since >= now - lockWait);
    const late = queue.splice(0, inTime === -1 ? queue.length : inTime);
    if (late.length === 0) return;
    const seconds = Math.floor((now - (transacting.lockedSince() ?? now)) / 1000);
    const error = new DatabaseLocked(seconds, lockHolder());
    for (const act of late) act.reject(error);
  };

  /** @returns false if another process holds the lock */
  const commitTogether = (acts: Write[]): boolean => {
    const settled: (() => void)[] = [];
    const result = run(() => {
      for (const act of acts) settled.push(perform(act));
    });
    if (result.state === "locked") return false;
    if (result.state === "refused") for (const act of acts) act.reject(result.error);
    else for (const settle of settled) settle();
    return true;
  };

  /** Runs one act inside the open transaction; what it tells its caller waits for the COMMIT. */
  const perform = (act: Write): (() => void) => {
    // A single statement is undone by SQLite itself when it fails; only several need a savepoint.
    const several = act.statements.length > 1 || act.last !== undefined;
    if (several) client.run("SAVEPOINT act");
    try {
      const rows = act.statements.map(({ query, values }) => query.all(values));
      const last = act.last?.(rows);
      if (last) last.query.all(last.values);
      if (several) client.run("RELEASE act");
      return () => act.resolve(rows);
    } catch (error) {
      if (isStorageFailure(error) || !client.inTransaction) throw error;
      if (several) client.run("ROLLBACK TO act; RELEASE act");
      return () => act.reject(error);
    }
  };

  return {
    commit: (statements, last) =>
      new Promise((resolve, reject) => {
        if (queue.length >= queueLimit) return reject(new StorageUnavailable("too many writes are waiting"));
        queue.push({
          statements,
          last: last as Write["last"],
          since: performance.now(),
          resolve: resolve as (rows: unknown[]) => void,
          reject,
        });
        schedule();
      }),
    ...transacting,
    probe() {
      const result = transacting.probe();
      if (result.state === "locked") schedule(RETRY_MS);
      return result;
    },
    stop: () => void (isStopped = true),
    drain: () =>
      new Promise((done) => {
        if (queue.length === 0) return done();
        idle.push(done);
      }),
  };
};
