import type { Database as Client, Statement } from "bun:sqlite";
import { appliedMigrations, endMigration, hashOf, migrateUncommitted } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import type { ReplicaMark } from "../db/replica-mark.ts";
import { reasonOf } from "../../lib/reason.ts";
import { asDiskError } from "../db/failures.ts";
import { isDamage, isStorageFailure, StorageUnavailable } from "../../lib/storage-errors.ts";
import { CHECKPOINT, checkFile } from "./contents.ts";
import {
  EffectDiffers,
  type LogRecord,
  LogTrimmed,
  ReplicaDamaged,
  ReplicaNewer,
  ReplicaOutdated,
} from "./log.ts";
import type { Parts } from "./parts.ts";
import {
  type DecodedRecord,
  decodeRecord,
  effectOf,
  nextChecksum,
  type RecordedMigrations,
  type RecordedStatement,
  RecordTooNew,
} from "./record.ts";
import { assertReplicable } from "./file.ts";
import { rowOf } from "../db/statement.ts";

const READ_RECORDS = 500;
/** A node shows so many of the records that it could not reproduce. */
const MAX_BLAMES = 10;
/** An engine returns a few MiB at a time: less than this is all there is, unless it is as many records as were asked for. */
const FULL_READ_BYTES = 2 ** 20;
/** How long records are applied before other work has its turn. */
const SLICE_MS = 20;
/** How long to wait for another process's lock. */
const RETRY_MS = 10;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

interface Slice {
  /** How many records are done with. */
  done: number;
  /** Those of them that another process had not applied before. */
  records: number;
  /** Their size before compression. */
  bytes: number;
  /** The record after an early end: migrations need a separate transaction. */
  next?: DecodedLogRecord;
  error?: unknown;
}

/** Applies the log to the file, as far as it goes. Returns when nothing is left to read. */
export const catchUpWith = ({ log, file, transactions, progress, counts, reads, blames }: Parts) => {
  /** The ids of records that had another effect here, though this file is sound. */
  const accepted = new Set<string>();
  const apply = writesApplier(file.writer, accepted);

  /** @throws ReplicaDamaged; or the error, if nothing shows which of the two files is damaged */
  const judge = async (error: EffectDiffers): Promise<void> => {
    const { position, id, node } = error;
    const checked = await checkFile(file.writer.filename);
    if (checked.state === "damaged") throw new ReplicaDamaged(checked.reason, { cause: error });
    if (checked.state === "unknown" || node === undefined) throw error;
    accepted.add(id);
    blames.push({ node, position, at: Date.now() });
    blames.splice(0, blames.length - MAX_BLAMES);
  };

  const noteApplied = (records: number, bytes: number): void => {
    counts.applied += records;
    counts.recordBytes += bytes;
    reads.end();
  };

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
      if (performance.now() > end || (slice.records > 0 && mark.position % CHECKPOINT === 0)) break;
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

  /** Applies migrations in a separate transaction: foreign keys cannot be switched off inside one. */
  const commitMigrations = (next: DecodedLogRecord): void => {
    const { content } = next.record;
    if (content.kind !== "migrations") return;
    file.contents.unfollow();
    try {
      const mark = applyMigrations(file.writer, file.mark(), next, content);
      file.advance(mark);
      file.writer.run("COMMIT");
      progress.advance(mark);
      noteApplied(1, next.record.body.length);
    } finally {
      endMigration(file.writer);
    }
    file.contents.follow();
  };

  const commitSlice = (left: readonly LogRecord[]): number => {
    const before = file.mark();
    const { done, records, bytes, next, error } = applySlice(left);
    const mark = file.mark();
    file.contents.advance(before.position, mark.position);
    const result = transactions.commitOpen();
    if (result.state === "refused") throw result.error;
    // It was rolled back: the same records again.
    if (result.state === "locked") return 0;
    progress.advance(mark);
    if (records > 0) noteApplied(records, bytes);
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

  /** Applies records, also those that had another effect on a damaged node. */
  const applyJudged = async (records: readonly LogRecord[]): Promise<void> => {
    for (;;)
      try {
        return await applyAll(records);
      } catch (error) {
        if (!(error instanceof EffectDiffers)) throw error;
        await judge(error);
      }
  };

  return async (): Promise<void> => {
    progress.assertUsable();
    try {
      for (;;) {
        const records = await read();
        await applyJudged(records);
        progress.advance(file.mark());
        const bytes = records.reduce((sum, { record }) => sum + record.length, 0);
        if (records.length < READ_RECORDS && bytes < FULL_READ_BYTES) break;
      }
      progress.endReached();
      progress.noteObstacle(undefined);
    } catch (error) {
      transactions.abandon();
      if (error instanceof ReplicaOutdated || error instanceof RecordTooNew) progress.fail(error);
      const damage = asDiskError(file.writer, error);
      if (isDamage(damage)) progress.fail(new ReplicaDamaged(`the file is damaged: ${reasonOf(damage)}`));
      const refusal =
        error instanceof StorageUnavailable ? error : new StorageUnavailable(String(error), { cause: error });
      progress.noteObstacle(refusal);
      throw refusal;
    }
  };
};

interface DecodedLogRecord extends Omit<LogRecord, "record"> {
  readonly record: DecodedRecord;
}

type Prepared = Statement<Record<string, unknown>, RecordedStatement["values"][number][]>;

const MAX_PREPARED = 500;

const preparedStatements = (client: Client) => {
  const made = new Map<string, Prepared>();
  return (sql: string): Prepared => {
    const found = made.get(sql);
    if (found) return found;
    assertReplicable(sql);
    if (made.size >= MAX_PREPARED) {
      for (const statement of made.values()) statement.finalize();
      made.clear();
    }
    const statement = client.prepare<Record<string, unknown>, RecordedStatement["values"][number][]>(sql);
    made.set(sql, statement);
    return statement;
  };
};

/** Runs recorded statements in the open transaction, as they ran on the recording node. @returns their effects */
const statementRunner = (client: Client) => {
  const prepared = preparedStatements(client);
  const changesStatement = client.prepare<{ changes: number }, []>("SELECT changes() AS changes");
  return ({ sql, method, values }: RecordedStatement): string => {
    const statement = prepared(sql);
    if (method === "run") return effectOf(statement.run(...values).changes);
    const rows = statement[method](...values);
    return effectOf(rowOf(changesStatement).changes, rows);
  };
};

/** The mark after a record. @throws EffectDiffers unless it had the same effect where it was made */
const markAfter = (
  mark: ReplicaMark,
  { position, id, record }: DecodedLogRecord,
  effects: readonly string[],
  accepted: ReadonlySet<string> = new Set(),
): ReplicaMark => {
  if (!accepted.has(id) && nextChecksum(mark.checksum, record.body, effects) !== record.checksum)
    throw new EffectDiffers(position, id, record.node);
  return { log: mark.log, position, id, checksum: record.checksum };
};

/** @throws ReplicaNewer */
const assertFollows = (mark: ReplicaMark, { position, record: { previous } }: DecodedLogRecord): void => {
  if (position !== mark.position + 1 || previous !== mark.id)
    throw new ReplicaNewer(
      `record ${position} follows ${previous}, but the replica is at ${mark.position} with ${mark.id}`,
    );
};

/** A function that applies writes after `mark` in the open transaction, and returns the next mark. @throws ReplicaOutdated */
const writesApplier = (client: Client, accepted: ReadonlySet<string>) => {
  const run = statementRunner(client);
  const effectsOf = ({ position }: DecodedLogRecord, statements: readonly RecordedStatement[]): string[] => {
    try {
      return statements.map(run);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      throw new ReplicaOutdated(`record ${position} cannot be applied (${reasonOf(error)})`, {
        cause: error,
      });
    }
  };
  return (
    mark: ReplicaMark,
    record: DecodedLogRecord,
    statements: readonly RecordedStatement[],
  ): ReplicaMark => {
    assertFollows(mark, record);
    return markAfter(mark, record, effectsOf(record, statements), accepted);
  };
};

/**
 * Applies this program's own migrations in a transaction, which stays open. Afterwards call `endMigration`.
 * @throws RecordTooNew if this program does not have them; ReplicaOutdated
 */
const applyMigrations = (
  client: Client,
  mark: ReplicaMark,
  record: DecodedLogRecord,
  { migrations: recorded, appliedAt }: RecordedMigrations,
): ReplicaMark => {
  assertFollows(mark, record);
  const end = appliedMigrations(client).length + recorded.length;
  const own = migrations
    .slice(end - recorded.length, end)
    .map(({ tag, sql }) => ({ tag, hash: hashOf(sql) }));
  const unknown = recorded.find((one, at) => !Bun.deepEquals(one, own[at]));
  if (unknown) throw new RecordTooNew(`a newer program made migration ${unknown.tag}: upgrade the program`);
  if (!migrateUncommitted(client, migrations.slice(0, end), appliedAt))
    throw new ReplicaOutdated(`the migrations of record ${record.position} were applied before`);
  return markAfter(mark, record, []);
};
