import { openContents } from "./contents.ts";
import { Database as Client, type SQLQueryBindings } from "bun:sqlite";
import { effectOf, type RecordedStatement } from "./record.ts";
import { asDiskError } from "../db/failures.ts";
import { PRAGMAS } from "../db/pragmas.ts";
import { type ReplicaMark, replicaMark } from "../db/replica-mark.ts";
import { type Connection, rowOf } from "../db/statement.ts";

/** A statement of a record means something else on another node. */
export class NotReplicable extends Error {
  override name = "NotReplicable";
}

const READ = /^\s*(?:select|pragma|explain|values)\b/i;
const WRITE = /^\s*(?:insert|update|delete|replace|with)\b/i;

/** The index of animals, which every node makes for itself. */
const OWN_INDEX = /^\s*(?:update\s+pets_indexed\s+set\s+indexed_to\b|insert\s+into\s+pets_words\b)/i;

/** Values that differ between nodes: time, chance, and the state of the connection or the local file. */
const DEPENDS_ON_NODE =
  /\b(?:random|randomblob|date|time|datetime|julianday|unixepoch|strftime|timediff|total_changes|sqlite_version|sqlite_source_id)\s*\(|\bcurrent_(?:date|time|timestamp)\b|\b(?:pets_words|pet_names|pet_times|indexed_to|sqlite_stat[1-4]|user_version|pragma_\w+|replica)\b/i;

type StatementKind = "read" | "recorded" | "local";

/** `local`: it writes data that each node keeps separately. @throws NotReplicable */
const kindOf = (sql: string): StatementKind => {
  if (READ.test(sql)) return "read";
  if (OWN_INDEX.test(sql)) return "local";
  assertReplicable(sql);
  return "recorded";
};

/** @throws NotReplicable unless the statement writes rows, and does the same on every node */
export const assertReplicable = (sql: string): void => {
  if (!WRITE.test(sql)) throw new NotReplicable(`a record may only write rows: ${sql}`);
  const [found] = DEPENDS_ON_NODE.exec(sql) ?? [];
  if (found !== undefined)
    throw new NotReplicable(`${found} is different on every node, so it cannot be recorded: ${sql}`);
};

type Values = SQLQueryBindings[];

export interface Recording {
  readonly statements: RecordedStatement[];
  readonly effects: string[];
  hasChanges: boolean;
}

export const newRecording = (): Recording => ({ statements: [], effects: [], hasChanges: false });

/** The writer as the statements of a write see it: it records those that change rows. */
const openRecorder = (writer: Client) => {
  const changesStatement = writer.prepare<{ changes: number }, []>("SELECT changes() AS changes");
  let recording: Recording | undefined;

  const prepare = (sql: string) => {
    const prepared = writer.prepare<Record<string, unknown>, Values>(sql);
    let kind: StatementKind | undefined;
    const all = (...values: Values): Record<string, unknown>[] => {
      if (!recording) throw new Error(`a statement of a write ran after it: ${sql}`);
      kind ??= kindOf(sql);
      const rows = prepared.all(...values);
      if (kind === "recorded") {
        const { changes } = rowOf(changesStatement);
        recording.statements.push({ sql, method: "all", values });
        recording.effects.push(effectOf(changes, rows));
        recording.hasChanges ||= changes > 0;
      }
      return rows;
    };
    return { all, get: (...values: Values) => all(...values)[0] ?? null };
  };

  return {
    /** Runs the statements of writes, inside `record`. */
    recorder: { prepare } as unknown as Connection,
    /** Runs `act` in the open transaction of the writer, and records its writes. */
    record<Result>(into: Recording, act: () => Result): Result {
      recording = into;
      try {
        return act();
      } finally {
        recording = undefined;
      }
    },
  };
};

/** The log in the engine is durable: records that the file loses in a power failure are applied again. */
const WRITER_PRAGMAS = [
  ...PRAGMAS.filter((pragma) => !pragma.startsWith("PRAGMA synchronous")),
  "PRAGMA synchronous=NORMAL",
  "PRAGMA busy_timeout=0",
  "PRAGMA temp_store=MEMORY",
];

const READER_PRAGMAS = [...WRITER_PRAGMAS, "PRAGMA query_only=ON"];

const openWith = (path: string, pragmas: readonly string[]): Client => {
  const client = new Client(path, { readwrite: true, create: false, strict: true });
  try {
    for (const pragma of pragmas) client.run(pragma);
    return client;
  } catch (error) {
    const failure = asDiskError(client, error);
    client.close();
    throw failure;
  }
};

/** This file is not a replica, or not one of a cluster. */
export class NotAReplica extends Error {
  override name = "NotAReplica";
}

/** Opens the file of a replica on two connections. @throws NotAReplica */
export const openReplicaFile = (path: string) => {
  const writer = openWith(path, WRITER_PRAGMAS);
  const mark = replicaMark(writer);
  if (!mark) {
    writer.close(true);
    throw new NotAReplica("the database is not a replica: run adoption-store cluster join");
  }
  const reader = openWith(path, READER_PRAGMAS);
  const markStatement = writer.prepare<ReplicaMark, []>("SELECT log, position, id, checksum FROM replica");
  const advanceStatement = writer.prepare<never, [number, string, string]>(
    "UPDATE replica SET position = ?, id = ?, checksum = ?",
  );
  return {
    writer,
    reader,
    ...openRecorder(writer),
    contents: openContents(writer),
    /** The file's applied position, as of now or of the open transaction. */
    mark: (): ReplicaMark => markStatement.get() ?? mark,
    /** Writes the mark in the open transaction. */
    advance: ({ position, id, checksum }: ReplicaMark): void =>
      void advanceStatement.run(position, id, checksum),
    close(): void {
      reader.close(true);
      writer.close(true);
    },
  };
};

export type ReplicaFile = ReturnType<typeof openReplicaFile>;
