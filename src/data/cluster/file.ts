import { type Changes, Database as Client, type SQLQueryBindings, type Statement } from "bun:sqlite";
import { effectOf, type Method, type RecordedStatement } from "./record.ts";
import { asDiskError } from "../db/failures.ts";
import { PRAGMAS } from "../db/pragmas.ts";
import { type ReplicaMark, replicaMark } from "../db/replica-mark.ts";
import { rowOf } from "../db/statement.ts";

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
  /\b(?:random|randomblob|date|time|datetime|julianday|unixepoch|strftime|timediff|total_changes|sqlite_version|sqlite_source_id)\s*\(|\bcurrent_(?:date|time|timestamp)\b|\b(?:pets_words|pet_names|indexed_to|sqlite_stat[1-4]|user_version|pragma_\w+|replica)\b/i;

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

type Prepared = Statement<Record<string, unknown>, Values>;

/** The connection that currently runs statements, and their recording. */
interface Place {
  client(): Client;
  recording(): Recording | undefined;
  /** How many rows the last statement of the writer wrote itself. */
  changes(): number;
}

const dualStatement = (sql: string, place: Place) => {
  const made = new Map<Client, Prepared>();
  const prepared = (): Prepared => {
    const client = place.client();
    let statement = made.get(client);
    if (!statement) {
      statement = client.prepare<Record<string, unknown>, Values>(sql);
      made.set(client, statement);
    }
    return statement;
  };
  let kind: StatementKind | undefined;
  /** The recording for the next statement; undefined if it is not recorded. */
  const target = (): Recording | undefined => {
    const recording = place.recording();
    if (!recording) return undefined;
    kind ??= kindOf(sql);
    return kind === "recorded" ? recording : undefined;
  };
  const note = (into: Recording, method: Method, values: Values, changes: number, rows?: unknown[]) => {
    into.statements.push({ sql, method, values });
    into.effects.push(effectOf(changes, rows));
    into.hasChanges ||= changes > 0;
  };
  const rowsBy =
    (method: "all" | "values") =>
    (...values: Values): unknown[] => {
      const into = target();
      const rows = prepared()[method](...values);
      if (into) note(into, method, values, place.changes(), rows);
      return rows;
    };
  const all = rowsBy("all");
  return {
    prepare: () => void prepared(),
    all,
    values: rowsBy("values"),
    get: (...values: Values) => (target() ? (all(...values)[0] ?? null) : prepared().get(...values)),
    run(...values: Values): Changes {
      const into = target();
      const result = prepared().run(...values);
      if (into) note(into, "run", values, result.changes);
      return result;
    },
    finalize: () => made.forEach((statement) => statement.finalize()),
    toString: () => sql,
    get columnNames() {
      return prepared().columnNames;
    },
  };
};

const PRAGMA = /^\s*pragma\b/i;

/**
 * One client over two connections. Statements run on the writer inside an act, and are recorded. Outside an act they run on
 * the reader, which sees committed rows only.
 */
const facadeOf = (writer: Client, reader: Client, place: Place): Client => {
  const prepare = (sql: string) => {
    const statement = dualStatement(sql, place);
    // `prepare` reports a mistake in the statement, as on a plain connection.
    statement.prepare();
    return statement;
  };
  const queries = new Map<string, ReturnType<typeof prepare>>();
  const query = (sql: string) => {
    const found = queries.get(sql) ?? prepare(sql);
    queries.set(sql, found);
    return found;
  };
  const run = (sql: string, ...values: unknown[]): Changes => {
    if (place.recording()) return dualStatement(sql, place).run(...(values.flat() as Values));
    if (PRAGMA.test(sql)) writer.run(sql);
    return reader.run(sql, ...(values as [Values]));
  };
  const own: Record<PropertyKey, unknown> = { prepare, query, run, exec: run };
  return new Proxy(reader, {
    get(target, name) {
      if (name in own) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(_target, name, value: unknown) {
      own[name] = value;
      return true;
    },
  });
};

const openRecorder = (writer: Client, reader: Client) => {
  const changesStatement = writer.prepare<{ changes: number }, []>("SELECT changes() AS changes");
  let recording: Recording | undefined;
  const place: Place = {
    client: () => (recording ? writer : reader),
    recording: () => recording,
    changes: () => rowOf(changesStatement).changes,
  };
  return {
    client: facadeOf(writer, reader, place),
    /** Runs `act` on the writer, in its open transaction, and records its writes. */
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
    ...openRecorder(writer, reader),
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
