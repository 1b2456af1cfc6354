import type { Database as Client } from "bun:sqlite";
import type { ChangeDetector } from "./change-detection.ts";
import {
  OutcomeUnknown,
  StorageUnavailable,
  isBusy,
  isStorageFailure,
  resultCode,
} from "../lib/storage-errors.ts";

/** `locked`: another process holds the write lock, and nothing was tried. */
export type TransactionResult =
  | { readonly state: "committed" }
  | { readonly state: "locked" }
  | { readonly state: "refused"; readonly error: unknown };

/** The result of the last transaction that wrote or was refused. `at` is a time of `performance.now()`. */
export interface LastTransaction {
  readonly at: number;
  readonly error: unknown;
}

/** Runs the transactions of one connection, and remembers how the storage took them. */
export interface Transactions {
  /**
   * Runs `work` in a transaction, and returns when it is on disk. An error of the storage is `StorageUnavailable` if
   * nothing of it is on disk, and will never be, and else `OutcomeUnknown`.
   */
  run(work: () => void): TransactionResult;
  /** Tests whether the storage takes writes. It writes a new value, because SQLite skips an update that changes nothing. */
  probe(): TransactionResult;
  /** True unless another process holds the write lock now. */
  canLock(): boolean;
  /** How many have committed, without probes. */
  count(): number;
  last(): LastTransaction;
  /** Since when another process has held the lock; undefined if none does. */
  lockedSince(): number | undefined;
}

/** Errors of a COMMIT that fails before the last frame is whole: a crash cannot bring it back. */
const NEVER_STORED = /^SQLITE_(FULL|READONLY|IOERR_WRITE)/;

const MAX_VERSION = 2 ** 31 - 1;

export const transactions = (
  client: Client,
  changes?: Pick<ChangeDetector, "beginOwn" | "endOwn">,
): Transactions => {
  const begin = client.prepare("BEGIN IMMEDIATE");
  const end = client.prepare("COMMIT");
  const changedRows = client.prepare<{ rows: number }, []>("SELECT total_changes() AS rows");
  let count = 0;
  let last: LastTransaction = { at: -Infinity, error: undefined };
  let lockedSince: number | undefined;

  const rollBack = () => {
    try {
      if (client.inTransaction) client.run("ROLLBACK");
    } catch {
      // The next attempt begins with this again.
    }
  };

  /** @returns true if it wrote */
  const perform = (work: () => void): boolean => {
    const before = changedRows.get()?.rows;
    work();
    return before !== changedRows.get()?.rows;
  };

  /** `mayBeStored`: its frames may be whole in the log, where recovery after a crash would find them. */
  const attempt = (work: () => boolean): TransactionResult & { mayBeStored?: boolean } => {
    let isCommitting = false;
    try {
      rollBack();
      begin.run();
      lockedSince = undefined;
      changes?.beginOwn();
      const wrote = work();
      isCommitting = true;
      end.run();
      changes?.endOwn(wrote);
      if (wrote) last = { at: performance.now(), error: undefined };
      return { state: "committed" };
    } catch (error) {
      rollBack();
      if (isBusy(error)) {
        lockedSince ??= performance.now();
        return { state: "locked" };
      }
      const mayBeStored = isCommitting && isStorageFailure(error) && !NEVER_STORED.test(resultCode(error));
      if (isStorageFailure(error)) last = { at: performance.now(), error };
      return { state: "refused", error, mayBeStored };
    }
  };

  /** SQLite itself never reads the user_version, which is on the first page. */
  const touch = (): boolean => {
    const version =
      client.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
    client.run(`PRAGMA user_version=${version < MAX_VERSION ? version + 1 : 0}`);
    return true;
  };

  /** Explains a refusal; one that may be stored is overwritten in the log first, which makes it certain. */
  const explained = ({ error, mayBeStored }: { error: unknown; mayBeStored?: boolean }): unknown => {
    if (!isStorageFailure(error)) return error;
    if (mayBeStored && attempt(touch).state !== "committed")
      return new OutcomeUnknown(String(error), { cause: error });
    return new StorageUnavailable(String(error), { cause: error });
  };

  return {
    run(work) {
      const result = attempt(() => perform(work));
      if (result.state === "committed") count++;
      return result.state === "refused" ? { state: "refused", error: explained(result) } : result;
    },
    probe: () => attempt(touch),
    canLock() {
      if (lockedSince === undefined) return true;
      try {
        begin.run();
        lockedSince = undefined;
      } catch (error) {
        if (!isBusy(error)) lockedSince = undefined;
      }
      rollBack();
      return lockedSince === undefined;
    },
    count: () => count,
    last: () => last,
    lockedSince: () => lockedSince,
  };
};
