import type { Transactions } from "../db/transaction.ts";
import { StorageUnavailable } from "../lib/storage-errors.ts";
import type { RecordApplier } from "./apply.ts";
import { LogTrimmed, ReplicaOutdated } from "./errors.ts";
import type { ReplicaFile } from "./file.ts";
import type { Log, LogRecord } from "./log.ts";
import type { Progress } from "./progress.ts";
import { RecordTooNew } from "./record.ts";

/** How many records are read at a time. */
const READ_RECORDS = 500;
/** An engine returns a few MiB at a time: less than this is all there is, unless it is as many records as were asked for. */
const FULL_READ_BYTES = 2 ** 20;
/** How long records are applied before other work has its turn. */
const SLICE_MS = 20;
/** How long to wait for another process's lock. */
const RETRY_MS = 10;

export interface CatchUpOptions {
  log: Pick<Log, "read">;
  file: ReplicaFile;
  transactions: Pick<Transactions, "open" | "commitOpen" | "abandon">;
  apply: RecordApplier;
  progress: Progress;
  /** Called after records were committed. */
  onApplied(applied: { records: number; bytes: number }): void;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Applies records to the file in the open transaction, for a while. @returns how many of them are done with */
const applySlice = (
  { file, apply }: CatchUpOptions,
  records: readonly LogRecord[],
): { done: number; applied: { records: number; bytes: number }; error?: unknown } => {
  let mark = file.mark();
  let done = 0;
  const applied = { records: 0, bytes: 0 };
  for (const end = performance.now() + SLICE_MS; done < records.length && performance.now() < end; done++) {
    const record = records[done] as LogRecord;
    // Another process has applied it to the same file.
    if (record.position <= mark.position) continue;
    file.writer.run("SAVEPOINT record");
    try {
      const { mark: next, bytes } = apply(mark, record);
      file.writer.run("RELEASE record");
      applied.records++;
      applied.bytes += bytes;
      mark = next;
    } catch (error) {
      file.writer.run("ROLLBACK TO record; RELEASE record");
      return { done, applied, error };
    } finally {
      file.advance(mark);
    }
  }
  return { done, applied };
};

/** Applies the log to the file, as far as it goes. Returns when nothing is left to read. */
export const catchUpWith = (options: CatchUpOptions) => {
  const { log, file, transactions, progress, onApplied } = options;

  const read = async (): Promise<LogRecord[]> => {
    try {
      return await log.read(file.mark(), READ_RECORDS);
    } catch (error) {
      if (!(error instanceof LogTrimmed)) throw error;
      throw new ReplicaOutdated(error.message, { cause: error });
    }
  };

  const commitSlice = (records: readonly LogRecord[]): number => {
    const { done, applied, error } = applySlice(options, records);
    const mark = file.mark();
    const result = transactions.commitOpen();
    if (result.state === "refused") throw result.error;
    progress.advance(mark);
    if (applied.records > 0) onApplied(applied);
    if (error !== undefined) throw error;
    return done;
  };

  const applyAll = async (records: readonly LogRecord[]): Promise<void> => {
    for (let left = records; left.length > 0; await nextTurn()) {
      const begun = transactions.open();
      if (begun?.state === "refused") throw begun.error;
      if (begun) await Bun.sleep(RETRY_MS);
      else left = left.slice(commitSlice(left));
    }
  };

  return async (): Promise<void> => {
    progress.assertUsable();
    try {
      for (;;) {
        const records = await read();
        await applyAll(records);
        progress.advance(file.mark());
        const bytes = records.reduce((sum, { record }) => sum + record.length, 0);
        if (records.length < READ_RECORDS && bytes < FULL_READ_BYTES) return progress.suspect(false);
      }
    } catch (error) {
      transactions.abandon();
      if (error instanceof ReplicaOutdated || error instanceof RecordTooNew) progress.fail(error);
      throw error instanceof StorageUnavailable
        ? error
        : new StorageUnavailable(String(error), { cause: error });
    }
  };
};
