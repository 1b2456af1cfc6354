import { endMigration } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import type { Transactions } from "../db/transaction.ts";
import { StorageUnavailable } from "../lib/storage-errors.ts";
import { type DecodedLogRecord, type WritesApplier, applyMigrations } from "./apply.ts";
import { LogTrimmed, ReplicaOutdated } from "./errors.ts";
import type { ReplicaFile } from "./file.ts";
import type { Log, LogRecord } from "./log.ts";
import type { Progress } from "./progress.ts";
import { RecordTooNew, decodeRecord } from "./record.ts";

/** How many records are read at a time. */
const READ_RECORDS = 500;
/** An engine returns a few MiB at a time: less than this is all there is, unless it is as many records as were asked for. */
const FULL_READ_BYTES = 2 ** 20;
/** How long records are applied before other work has its turn. */
const SLICE_MS = 20;
/** How long to wait for another process's lock. */
const RETRY_MS = 10;

interface CatchUpOptions {
  log: Pick<Log, "read">;
  file: ReplicaFile;
  transactions: Pick<Transactions, "open" | "commitOpen" | "abandon">;
  apply: WritesApplier;
  progress: Progress;
  /** Called after records were committed. */
  onApplied(applied: { records: number; bytes: number }): void;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** What a slice of work came to. */
interface Slice {
  /** How many records are done with. */
  done: number;
  /** Those of them that another process had not applied before. */
  records: number;
  /** Their size before compression. */
  bytes: number;
  /** Why it ends before the last record: migrations need a transaction of their own. */
  next?: DecodedLogRecord;
  error?: unknown;
}

/** Applies the log to the file, as far as it goes. Returns when nothing is left to read. */
export const catchUpWith = ({ log, file, transactions, apply, progress, onApplied }: CatchUpOptions) => {
  const read = async (): Promise<LogRecord[]> => {
    try {
      return await log.read(file.mark(), READ_RECORDS);
    } catch (error) {
      if (!(error instanceof LogTrimmed)) throw error;
      throw new ReplicaOutdated(error.message, { cause: error });
    }
  };

  /** Applies records to the file in the open transaction, for a while. */
  const applySlice = (records: readonly LogRecord[]): Slice => {
    let mark = file.mark();
    const slice: Slice = { done: 0, records: 0, bytes: 0 };
    for (const end = performance.now() + SLICE_MS; slice.done < records.length; slice.done++) {
      const { position, id, record } = records[slice.done] as LogRecord;
      if (performance.now() > end) break;
      // Another process has applied it to the same file.
      if (position <= mark.position) continue;
      file.writer.run("SAVEPOINT record");
      try {
        const next = { position, id, record: decodeRecord(record) };
        if (next.record.content.kind === "migrations") return { ...slice, next };
        mark = apply(mark, next, next.record.content.statements);
        slice.records++;
        slice.bytes += next.record.body.length;
      } catch (error) {
        file.writer.run("ROLLBACK TO record");
        return { ...slice, error };
      } finally {
        file.writer.run("RELEASE record");
        file.advance(mark);
      }
    }
    return slice;
  };

  /** Applies migrations in a transaction of their own: foreign keys cannot be switched off inside one. */
  const commitMigrations = (next: DecodedLogRecord): void => {
    const { content } = next.record;
    if (content.kind !== "migrations") return;
    try {
      const mark = applyMigrations(file.writer, file.mark(), next, content, migrations);
      file.advance(mark);
      file.writer.run("COMMIT");
      progress.advance(mark);
      onApplied({ records: 1, bytes: next.record.body.length });
    } finally {
      endMigration(file.writer);
    }
  };

  const commitSlice = (left: readonly LogRecord[]): number => {
    const { done, records, bytes, next, error } = applySlice(left);
    const mark = file.mark();
    const result = transactions.commitOpen();
    if (result.state === "refused") throw result.error;
    // It was rolled back: the same records again.
    if (result.state === "locked") return 0;
    progress.advance(mark);
    if (records > 0) onApplied({ records, bytes });
    if (error !== undefined) throw error;
    if (!next) return done;
    commitMigrations(next);
    return done + 1;
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
        if (records.length < READ_RECORDS && bytes < FULL_READ_BYTES) break;
      }
      progress.suspect(false);
      progress.noteObstacle(undefined);
    } catch (error) {
      transactions.abandon();
      if (error instanceof ReplicaOutdated || error instanceof RecordTooNew) progress.fail(error);
      const refusal =
        error instanceof StorageUnavailable ? error : new StorageUnavailable(String(error), { cause: error });
      progress.noteObstacle(refusal);
      throw refusal;
    }
  };
};
