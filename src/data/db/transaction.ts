import type { Database as Client } from "bun:sqlite";
import {
  OutcomeUnknown,
  StorageUnavailable,
  isBusy,
  isStorageFailure,
  resultCode,
} from "../../lib/storage-errors.ts";
import { rowOf } from "./statement.ts";

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
export interface OwnWrites {
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
