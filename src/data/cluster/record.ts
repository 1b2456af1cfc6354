import type { SQLQueryBindings } from "bun:sqlite";
import manifest from "../../../package.json" with { type: "json" };
import type { ReplicaMark } from "../db/replica-mark.ts";

const PROGRAM = manifest.version;

/** The form of a record. A node writes a newer form only when all live nodes announce that they read it: see nodes.ts. */
export const FORMAT = 1;

/** How a statement was run: its results depend on it. Nodes write `all`; earlier versions also wrote the others. */
type Method = "all" | "values" | "run";

export interface RecordedStatement {
  readonly sql: string;
  readonly method: Method;
  readonly values: readonly SQLQueryBindings[];
}

/** Migrations whose SQL is in the program. */
export interface RecordedMigrations {
  readonly migrations: readonly { readonly tag: string; readonly hash: string }[];
  readonly appliedAt: number;
}

type RecordContent =
  | { readonly kind: "writes"; readonly statements: readonly RecordedStatement[] }
  | ({ readonly kind: "migrations" } & RecordedMigrations);

interface RecordHeader {
  readonly program: string;
  /** The id of the record before it. */
  readonly previous: string;
  readonly checksum: string;
  /** The id of the node that made it; undefined in records of earlier versions. */
  readonly node?: string;
}

export interface DecodedRecord extends RecordHeader {
  readonly content: RecordContent;
  /** The part of the content that the checksum covers. */
  readonly body: string;
}

/** A newer program made the record. */
export class RecordTooNew extends Error {
  override name = "RecordTooNew";
}

type Json = string | number | boolean | null | { readonly [tag: string]: string };

/** Every value but these is itself in JSON: `{"n":"9007199254740993"}`, `{"f":"-0"}`, `{"b":"AQI="}`. */
const toJson = (value: SQLQueryBindings): Json => {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (value === null || value === undefined) return null;
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { f: Object.is(value, -0) ? "-0" : String(value) };
  if (typeof value === "bigint") return { n: String(value) };
  if (ArrayBuffer.isView(value))
    return { b: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  throw new TypeError("a recorded statement takes its values by position");
};

const fromJson = (value: Json): SQLQueryBindings => {
  if (typeof value !== "object" || value === null) return value;
  if (value["n"] !== undefined) return BigInt(value["n"]);
  if (value["b"] !== undefined) return Buffer.from(value["b"], "base64");
  return Number(value["f"]);
};

interface Writes {
  sql: string[];
  /** The statement's place in `sql`, its method and its values. */
  run: [at: number, method: Method, ...values: Json[]][];
}

/** Each text of SQL is in a record once. */
const writesBody = (statements: readonly RecordedStatement[]): string => {
  const places = new Map<string, number>();
  const run: Writes["run"] = statements.map(({ sql, method, values }) => {
    const at = places.get(sql) ?? places.size;
    places.set(sql, at);
    return [at, method, ...values.map(toJson)];
  });
  return JSON.stringify({ sql: [...places.keys()], run } satisfies Writes);
};

const bodyOf = (content: RecordContent): string =>
  content.kind === "writes"
    ? writesBody(content.statements)
    : JSON.stringify({ migrations: content.migrations, appliedAt: content.appliedAt });

const contentOf = (body: string): RecordContent => {
  const found = JSON.parse(body) as Writes | RecordedMigrations;
  if ("migrations" in found) return { kind: "migrations", ...found };
  const statements = found.run.map(([at, method, ...values]) => {
    const sql = found.sql[at];
    if (sql === undefined) throw new Error(`a record runs statement ${at}, and has ${found.sql.length}`);
    return { sql, method, values: values.map(fromJson) };
  });
  return { kind: "writes", statements };
};

/** A byte for the form, then the header and the content, each a line of JSON, compressed. */
const encodeRecord = (header: RecordHeader, body: string): Uint8Array => {
  const packed = Bun.zstdCompressSync(`${JSON.stringify(header)}\n${body}`);
  const record = new Uint8Array(packed.length + 1);
  record[0] = FORMAT;
  record.set(packed, 1);
  return record;
};

/** @throws RecordTooNew */
export const decodeRecord = (record: Uint8Array): DecodedRecord => {
  if (record[0] !== FORMAT)
    throw new RecordTooNew(`a newer program made a record of form ${record[0]}: upgrade the program`);
  const text = Bun.zstdDecompressSync(record.subarray(1)).toString();
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  return { ...(JSON.parse(text.slice(0, end)) as RecordHeader), content: contentOf(body), body };
};

/**
 * The effect of a statement, independent of the node: how many rows it wrote itself, and the sorted rows of its result. The
 * order of RETURNING follows from the plan, which another version of SQLite may make differently.
 */
export const effectOf = (changes: number, rows?: readonly unknown[]): string =>
  rows === undefined
    ? String(changes)
    : `${changes} [${rows
        .map((row) => JSON.stringify(row))
        .toSorted()
        .join(",")}]`;

/** The running checksum of all records and their effects. */
export const nextChecksum = (previous: string, body: string, effects: readonly string[]): string =>
  new Bun.CryptoHasher("sha256").update(`${previous}\n${body}\n${effects.join("\n")}`).digest("hex");

/** The record of this content after `mark`, the next mark, and the size of the content before compression. */
export const makeRecord = (
  mark: ReplicaMark,
  content: RecordContent,
  effects: readonly string[],
  node: string,
): { record: Uint8Array; next: ReplicaMark; bytes: number } => {
  const body = bodyOf(content);
  const checksum = nextChecksum(mark.checksum, body, effects);
  return {
    record: encodeRecord({ program: PROGRAM, previous: mark.id, checksum, node }, body),
    next: { log: mark.log, position: mark.position + 1, id: Bun.randomUUIDv7(), checksum },
    bytes: body.length,
  };
};
