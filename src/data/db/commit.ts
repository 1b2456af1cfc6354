import type { Database as Client } from "bun:sqlite";
import {
  DatabaseLocked,
  OutcomeUnknown,
  StorageUnavailable,
  isBusy,
  isDamage,
  isStorageFailure,
  resultCode,
} from "../../lib/storage-errors.ts";
import { type Connection, rowOf } from "./statement.ts";

/** A query, such as a `Query` of statement.ts, and its values. */
export interface Statement<Rows = unknown> {
  readonly query: { all(connection: Connection, values: object): Rows };
  readonly values: object;
}

type RowsOf<Statements extends readonly Statement[]> = {
  -readonly [K in keyof Statements]: Statements[K] extends Statement<infer Rows> ? Rows : never;
};

/**
 * Runs all statements of a write or none, and resolves with the rows of each statement once they are on disk. Writes of the
 * same turn share one transaction and one fsync; a write that breaks a constraint fails alone. README.md explains why
 * conditions are part of the statements.
 * @param last called inside the transaction with the rows, and a connection on which it can run statements; may return more
 *   statements of the same write
 * @param options `lockWait`: how long this write waits for another process's lock, if not as long as all; `isDerived`: it
 *   writes only data that follows from other rows and is invisible to readers, such as an index, so that `version` stays
 * @throws StorageUnavailable if the storage refused the write and nothing is stored; OutcomeUnknown if it may be stored
 */
export type Commit = <const Statements extends readonly Statement[]>(
  statements: Statements,
  last?: (rows: RowsOf<Statements>, connection: Connection) => readonly Statement[],
  options?: { lockWait?: number; isDerived?: boolean },
) => Promise<RowsOf<Statements>>;

/**
 * Commits a write whose statements depend on stored rows: `decide` reads on the connection, inside the transaction. Nothing is
 * written if it throws.
 * @returns the first item of the list that `decide` returns. The others are statements of the write.
 */
export const commitDecided = async <Outcome>(
  commit: Commit,
  decide: (connection: Connection) => readonly [Outcome, ...Statement[]],
): Promise<Outcome> => {
  const decided: Outcome[] = [];
  await commit([], (_rows, connection) => {
    const [outcome, ...statements] = decide(connection);
    // A transaction that failed is tried again.
    decided[0] = outcome;
    return statements;
  });
  return decided[0] as Outcome;
};

export interface Write {
  statements: readonly Statement[];
  last: ((rows: unknown[], connection: Connection) => readonly Statement[]) | undefined;
  /** When it stops waiting for a lock, as a time of `performance.now()`. */
  deadline: number;
  isDerived: boolean;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

/** `locked`: another process holds the write lock, and nothing was tried. */
type TransactionResult =
  | { readonly state: "committed" }
  | { readonly state: "locked" }
  | { readonly state: "refused"; readonly error: unknown };

/** The result of the last transaction that wrote or was refused. `at` is a time of `performance.now()`. */
interface LastTransaction {
  readonly at: number;
  readonly error: unknown;
}

/** Errors of a COMMIT that fails before the last frame is complete: recovery after a crash cannot find it. */
const NEVER_STORED = /^SQLITE_(FULL|READONLY|IOERR_WRITE)/;

const MAX_VERSION = 2 ** 31 - 1;

/** Writes a new user_version, which is on the first page and which SQLite itself never reads. */
const incrementVersion = (client: Client): void => {
  const version = rowOf(client.query<{ user_version: number }, []>("PRAGMA user_version")).user_version;
  client.run(`PRAGMA user_version=${version < MAX_VERSION ? version + 1 : 0}`);
};

export const rollBack = (client: Client): void => {
  try {
    if (client.inTransaction) client.run("ROLLBACK");
  } catch {
    // The next attempt rolls back first.
  }
};

/** Receives each transaction, to distinguish this connection's writes from those of others. */
interface OwnWrites {
  /** Called when this connection has the write lock and is about to write. */
  beginOwn(): void;
  /** Called when this connection's write is committed. It never throws. */
  endOwn(): void;
}

/** `mayBeStored`: its frames may be complete in the log, where recovery after a crash would find them. */
type Attempt = TransactionResult & { mayBeStored?: boolean };

/** Runs the transactions of one connection, and remembers the last result and the lock of another process. */
export const transactions = (client: Client, changes?: OwnWrites) => {
  const beginStatement = client.prepare("BEGIN IMMEDIATE");
  const commitStatement = client.prepare("COMMIT");
  const totalChangesStatement = client.prepare<{ rows: number }, []>("SELECT total_changes() AS rows");
  const counts = { visible: 0 };
  let last: LastTransaction = { at: -Infinity, error: undefined };
  let lockedSince: number | undefined;

  const begin = (): void => {
    rollBack(client);
    beginStatement.run();
    lockedSince = undefined;
    changes?.beginOwn();
  };
  const commit = (wrote: boolean): void => {
    commitStatement.run();
    changes?.endOwn();
    if (wrote) last = { at: performance.now(), error: undefined };
  };
  const fail = (error: unknown, isCommitting: boolean): Attempt => {
    rollBack(client);
    if (isBusy(error)) {
      lockedSince ??= performance.now();
      return { state: "locked" };
    }
    const mayBeStored = isCommitting && isStorageFailure(error) && !NEVER_STORED.test(resultCode(error));
    if (isStorageFailure(error)) last = { at: performance.now(), error };
    return { state: "refused", error, mayBeStored };
  };

  /** @param work returns true if it wrote */
  const attempt = (work: () => boolean): Attempt => {
    let isCommitting = false;
    try {
      begin();
      const wrote = work();
      isCommitting = true;
      commit(wrote);
      return { state: "committed" };
    } catch (error) {
      return fail(error, isCommitting);
    }
  };

  const wroteRows = (work: () => void): boolean => {
    const before = rowOf(totalChangesStatement).rows;
    work();
    return before !== rowOf(totalChangesStatement).rows;
  };

  const probe = (): TransactionResult =>
    attempt(() => {
      incrementVersion(client);
      return true;
    });

  /** Explains a refusal. A transaction that may be stored is first overwritten in the log, to make its outcome certain. */
  const explain = ({ error, mayBeStored }: { error: unknown; mayBeStored?: boolean }): unknown => {
    if (!isStorageFailure(error)) return error;
    if (mayBeStored && probe().state !== "committed")
      return new OutcomeUnknown(String(error), { cause: error });
    return new StorageUnavailable(String(error), { cause: error });
  };

  return {
    /**
     * Runs `work` in a transaction, and returns when it is on disk. An error of the storage is `StorageUnavailable` if
     * nothing is stored, now or after a crash, and otherwise `OutcomeUnknown`.
     * @param work returns false if its writes are invisible to readers: `counts.visible` then stays
     */
    run(work: () => unknown): TransactionResult {
      let isVisible: unknown;
      const result = attempt(() =>
        wroteRows(() => {
          isVisible = work();
        }),
      );
      if (result.state === "committed" && isVisible !== false) counts.visible++;
      return result.state === "refused" ? { state: "refused", error: explain(result) } : result;
    },
    /** Begins a transaction that stays open while others run. @returns why it did not begin; undefined if it did */
    open(): Exclude<TransactionResult, { state: "committed" }> | undefined {
      try {
        begin();
        return undefined;
      } catch (error) {
        const result = fail(error, false);
        return result.state === "refused"
          ? { state: "refused", error: explain(result) }
          : { state: "locked" };
      }
    },
    commitOpen(): TransactionResult {
      try {
        commit(true);
        return { state: "committed" };
      } catch (error) {
        return fail(error, true);
      }
    },
    abandon: (): void => rollBack(client),
    /** Tests whether the storage accepts writes. It writes a new value, because SQLite skips an update without a change. */
    probe,
    /** True unless another process holds the write lock now. */
    canLock(): boolean {
      if (lockedSince === undefined) return true;
      try {
        beginStatement.run();
        lockedSince = undefined;
      } catch (error) {
        if (!isBusy(error)) lockedSince = undefined;
      }
      rollBack(client);
      return lockedSince === undefined;
    },
    /** How many committed transactions have changes that readers can see: no probes, and no steps of an index. */
    counts: counts as Readonly<typeof counts>,
    last: () => last,
    /** Since when another process has held the lock; undefined if none does. */
    lockedSince: () => lockedSince,
  };
};

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
    drain: () => new Promise<void>((done) => (queue.length === 0 ? done() : void onEmpty.push(done))),
  };
};
export type WriteQueue = ReturnType<typeof writeQueue>;

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

const UNDO = "ROLLBACK TO act; RELEASE act";

/**
 * Returns a function that runs one write inside the open transaction, and returns a function that settles the write's promise
 * after the COMMIT.
 * @param connection runs the statements of writes: another one than the transaction's if it records them
 * @param isKept if given, it is asked after each write: unless it returns true, everything that the write did is undone
 */
export const writeRunner = (client: Client, connection: Connection = client, isKept?: () => boolean) => {
  const savepointStatement = client.prepare("SAVEPOINT act");
  const releaseStatement = client.prepare("RELEASE act");
  return ({ statements, last, resolve, reject }: Write): (() => void) => {
    // SQLite itself undoes a single statement that fails. Several statements need a savepoint.
    const needsSavepoint = isKept !== undefined || statements.length > 1 || last !== undefined;
    if (needsSavepoint) savepointStatement.run();
    try {
      const rows = statements.map(({ query, values }) => query.all(connection, values));
      for (const { query, values } of last?.(rows, connection) ?? []) query.all(connection, values);
      if (isKept?.() === false) client.run(UNDO);
      else if (needsSavepoint) releaseStatement.run();
      return () => resolve(rows);
    } catch (error) {
      if (isStorageFailure(error) || !client.inTransaction) throw error;
      if (needsSavepoint) client.run(UNDO);
      return () => reject(error);
    }
  };
};

export type WriteRunner = ReturnType<typeof writeRunner>;

export interface GroupCommitOptions {
  /** How many writes share one transaction at most; 1 commits each by itself. */
  groupSize?: number;
  /** How long a write waits for a lock that another process holds, in milliseconds. */
  lockWait?: number;
  queueLimit?: number;
  changes?: OwnWrites;
  /** Describes the process that holds the write lock. */
  lockHolder?: () => string;
  /** Called at the end of each transaction, before its COMMIT. Returns true if it wrote something. */
  beforeCommit?: (connection: Connection) => boolean;
  /**
   * True if `beforeCommit` can read its rows. Asked before a transaction, after another one found damage: SQLite refuses to
   * commit a transaction in which a statement found damage.
   */
  hasReadable?: () => boolean;
}

const RETRY_MS = 10;
/** How long a write waits for a lock by default. */
export const LOCK_WAIT_MS = 5000;

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
    hasReadable = () => true,
  }: GroupCommitOptions = {},
) => {
  const { run, ...transacting } = transactions(client, changes);
  const runWrite = writeRunner(client);
  const queue = writeQueue();
  /** How many of the next writes get separate transactions, so that only those that need damaged pages fail. */
  let alone = 0;
  let isScheduled = false;
  let isStopped = false;

  /**
   * Commits writes in one transaction. @returns how many have ended: none if one found damage, so that they must be tried one
   * by one; undefined if another process holds the lock
   */
  const commitTogether = (writes: readonly Write[]): number | undefined => {
    const settlers: (() => void)[] = [];
    const isComplete = alone === 0 || hasReadable();
    const result = run(() => {
      for (const write of writes) settlers.push(runWrite(write));
      return (isComplete && beforeCommit(client)) || writes.some(({ isDerived }) => !isDerived);
    });
    if (result.state === "locked") return undefined;
    if (result.state === "refused" && alone === 0 && isDamage(result.error)) {
      alone = writes.length;
      return 0;
    }
    if (result.state === "refused") for (const write of writes) write.reject(result.error);
    else for (const settle of settlers) settle();
    return writes.length;
  };

  /** Refuses the writes that have waited too long for another process's lock. */
  const expire = () => {
    const now = performance.now();
    const late = queue.removeLate(now);
    if (late.length === 0) return;
    const seconds = Math.floor((now - (transacting.lockedSince() ?? now)) / 1000);
    const error = new DatabaseLocked(seconds, lockHolder());
    for (const write of late) write.reject(error);
  };

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
    const writes = queue.first(alone > 0 ? 1 : groupSize);
    const ended = writes.length > 0 ? commitTogether(writes) : 0;
    const isBlocked = ended === undefined || (writes.length === 0 && !transacting.canLock());
    if (isBlocked) expire();
    else {
      queue.removeFirst(ended);
      alone = Math.max(0, alone - ended);
    }
    if (queue.length() > 0 || isBlocked) schedule(isBlocked ? RETRY_MS : undefined);
  };

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
