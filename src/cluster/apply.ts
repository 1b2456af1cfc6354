import type { Database as Client, Statement } from "bun:sqlite";
import type { ReplicaMark } from "../db/replica-mark.ts";
import { isStorageFailure } from "../lib/storage-errors.ts";
import { reasonOf } from "../lib/reason.ts";
import { assertReplicable } from "./deterministic.ts";
import { ReplicaOutdated } from "./errors.ts";
import type { LogRecord } from "./log.ts";
import { type RecordedStatement, decodeRecord, effectOf, nextChecksum } from "./record.ts";

type Prepared = Statement<Record<string, unknown>, RecordedStatement["values"][number][]>;

interface AppliedRecord {
  readonly mark: ReplicaMark;
  /** The size of the record before compression. */
  readonly bytes: number;
}

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
    if (method === "run") return effectOf(statement.run(...values).changes, undefined);
    const rows = statement[method](...values);
    return effectOf(changesStatement.get()?.changes ?? 0, rows);
  };
};

/**
 * Returns a function that applies a record behind `mark` in the open transaction of the writer, and returns the next mark, and
 * how much the record had to be applied.
 * @throws ReplicaOutdated if the replica is not what the record was made on; RecordTooNew
 */
export const recordApplier = (client: Client) => {
  const run = statementRunner(client);
  const effectsOf = (statements: readonly RecordedStatement[], position: number): string[] => {
    try {
      return statements.map(run);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      throw new ReplicaOutdated(`record ${position} cannot be applied (${reasonOf(error)})`, {
        cause: error,
      });
    }
  };
  return (mark: ReplicaMark, { position, id, record }: LogRecord): AppliedRecord => {
    const { previous, checksum, content, body } = decodeRecord(record);
    if (position !== mark.position + 1 || previous !== mark.id)
      throw new ReplicaOutdated(
        `record ${position} follows ${previous}, but the replica is at ${mark.position} with ${mark.id}`,
      );
    const effects = content.kind === "writes" ? effectsOf(content.statements, position) : [];
    if (nextChecksum(mark.checksum, body, effects) !== checksum)
      throw new ReplicaOutdated(`record ${position} had another effect here than where it was made`);
    return { mark: { log: mark.log, position, id, checksum }, bytes: body.length };
  };
};

export type RecordApplier = ReturnType<typeof recordApplier>;
