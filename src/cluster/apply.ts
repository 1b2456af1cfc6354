import type { Database as Client, Statement } from "bun:sqlite";
import { appliedMigrations, hashOf, migrateUncommitted } from "../db/migrate.ts";
import type { Migration } from "../db/migrations.ts";
import type { ReplicaMark } from "../db/replica-mark.ts";
import { isStorageFailure } from "../lib/storage-errors.ts";
import { reasonOf } from "../lib/reason.ts";
import { assertReplicable } from "./recorder.ts";
import { ReplicaOutdated } from "./errors.ts";
import type { LogRecord } from "./log.ts";
import {
  type DecodedRecord,
  type RecordedMigrations,
  type RecordedStatement,
  RecordTooNew,
  effectOf,
  nextChecksum,
} from "./record.ts";

/** A record of the log that has been read. */
export interface DecodedLogRecord extends Omit<LogRecord, "record"> {
  readonly record: DecodedRecord;
}

type Prepared = Statement<Record<string, unknown>, RecordedStatement["values"][number][]>;

/** How many statements stay prepared. */
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

/** Runs recorded statements in the open transaction, as they ran where they were recorded. @returns their effects */
const statementRunner = (client: Client) => {
  const prepared = preparedStatements(client);
  const changesStatement = client.prepare<{ changes: number }, []>("SELECT changes() AS changes");
  return ({ sql, method, values }: RecordedStatement): string => {
    const statement = prepared(sql);
    if (method === "run") return effectOf(statement.run(...values).changes);
    const rows = statement[method](...values);
    return effectOf(changesStatement.get()?.changes ?? 0, rows);
  };
};

/** The mark behind a record. @throws ReplicaOutdated if the replica is not what the record was made on */
export const markAfter = (
  mark: ReplicaMark,
  { position, id, record }: DecodedLogRecord,
  effects: readonly string[],
): ReplicaMark => {
  if (nextChecksum(mark.checksum, record.body, effects) !== record.checksum)
    throw new ReplicaOutdated(`record ${position} had another effect here than where it was made`);
  return { log: mark.log, position, id, checksum: record.checksum };
};

/** @throws ReplicaOutdated */
const assertFollows = (mark: ReplicaMark, { position, record: { previous } }: DecodedLogRecord): void => {
  if (position !== mark.position + 1 || previous !== mark.id)
    throw new ReplicaOutdated(
      `record ${position} follows ${previous}, but the replica is at ${mark.position} with ${mark.id}`,
    );
};

/** Returns a function that applies writes behind `mark` in the open transaction, and returns the next mark. @throws ReplicaOutdated */
export const writesApplier = (client: Client) => {
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
    return markAfter(mark, record, effectsOf(record, statements));
  };
};

export type WritesApplier = ReturnType<typeof writesApplier>;

/**
 * Applies this program's own migrations in a transaction, which stays open. Afterwards call `endMigration`.
 * @throws RecordTooNew if this program does not have them; ReplicaOutdated
 */
export const applyMigrations = (
  client: Client,
  mark: ReplicaMark,
  record: DecodedLogRecord,
  { migrations: recorded, appliedAt }: RecordedMigrations,
  known: readonly Migration[],
): ReplicaMark => {
  assertFollows(mark, record);
  const end = appliedMigrations(client).length + recorded.length;
  const own = known.slice(end - recorded.length, end).map(({ tag, sql }) => ({ tag, hash: hashOf(sql) }));
  const unknown = recorded.find((one, at) => !Bun.deepEquals(one, own[at]));
  if (unknown) throw new RecordTooNew(`a newer program made migration ${unknown.tag}: upgrade the program`);
  if (!migrateUncommitted(client, known.slice(0, end), appliedAt))
    throw new ReplicaOutdated(`the migrations of record ${record.position} were applied before`);
  return markAfter(mark, record, []);
};
