import type { Database as Client, SQLQueryBindings } from "bun:sqlite";
import { asDiskError } from "../db/failures.ts";
import { openSqlWorker } from "../db/sql-worker.ts";
import { openExisting } from "../db/snapshot.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isDamage, isDamageOrSchema } from "../../lib/storage-errors.ts";
import { appliedMigrations } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { CONTENTS, CREATE_CONTENTS, foreignObject, hasTable, REPLICA } from "../db/schema-check.ts";
import { rowOf } from "../db/statement.ts";

/** Tables that each node makes for itself, and those of the cluster's own state. */
const LOCAL = new Set(["pet_names", "pet_times", "pets_indexed", CONTENTS, REPLICA]);

/** The number of a table's rows, and the sum of their hashes modulo 2^64: the order of the rows does not count. */
interface TableContent {
  readonly rows: number;
  readonly hash: bigint;
}

/** By the table's name. */
type Contents = ReadonlyMap<string, TableContent>;

const EMPTY: TableContent = { rows: 0, hash: 0n };
const RADIX = 36;

const hashOf = (row: string): bigint => BigInt(Bun.hash(row));

/** @param sign 1 for a row that was added, -1 for one that was removed */
const plus = ({ rows, hash }: TableContent, row: string, sign: number): TableContent => ({
  rows: rows + sign,
  hash: BigInt.asUintN(64, sign > 0 ? hash + hashOf(row) : hash - hashOf(row)),
});

type StoredContent = [table: string, rows: number, hash: string];

const toText = (contents: Contents): string =>
  JSON.stringify(
    [...contents].map(([table, { rows, hash }]): StoredContent => [table, rows, hash.toString(RADIX)]),
  );

const hashFrom = (text: string): bigint =>
  [...text].reduce((hash, digit) => hash * BigInt(RADIX) + BigInt(Number.parseInt(digit, RADIX)), 0n);

const fromText = (text: string): Contents =>
  new Map(
    (JSON.parse(text) as StoredContent[]).map(([table, rows, hash]) => [
      table,
      { rows, hash: hashFrom(hash) },
    ]),
  );

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly hasRowid: boolean;
}

const tablesOf = (client: Client): Table[] =>
  client
    .query<{ name: string; wr: number }, []>(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name",
    )
    .all()
    .filter(({ name }) => !LOCAL.has(name))
    .map(({ name, wr }) => ({
      name,
      hasRowid: wr === 0,
      columns: client
        .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
        .all(name)
        .map((column) => column.name),
    }));

/** A row as text, from which each value can be told: the same on every node. @param from `OLD.`, `NEW.` or nothing */
const rowText = ({ columns }: Table, from = ""): string =>
  columns.map((column) => `quote(${from}"${column}")`).join(" || ',' || ");

const CHANGES = "content_changes";
const SEEN = ["INSERT", "UPDATE", "DELETE"] as const;

const triggersOf = (table: Table): string[] =>
  SEEN.map((event) => {
    const removed = event === "INSERT" ? [] : [`('${table.name}', -1, ${rowText(table, "OLD.")})`];
    const added = event === "DELETE" ? [] : [`('${table.name}', 1, ${rowText(table, "NEW.")})`];
    return `CREATE TEMP TRIGGER content_${table.name}_${event} AFTER ${event} ON main."${table.name}"
      BEGIN INSERT INTO ${CHANGES} VALUES ${[...removed, ...added].join(", ")}; END`;
  });

/** Nodes that write all the time are at the same position at no time, so they compare these positions. */
export const CHECKPOINT = 128;
const KEPT_CHECKPOINTS = 3;

/** A digest of all tables at a position of the log. */
export interface ContentDigest {
  readonly position: number;
  readonly digest: string;
}

const digestOf = ({ position, tables }: Stored): ContentDigest => ({
  position,
  digest: Bun.hash(tables).toString(RADIX),
});

/** How many rows are read before other work has its turn: some milliseconds. */
const SLICE_ROWS = 2000;

interface ReadRow {
  id: number;
  row: string;
}

const slicesOf = function* (client: Client, table: Table): Generator<readonly ReadRow[]> {
  if (!table.hasRowid) {
    yield client.query<ReadRow, []>(`SELECT 0 AS id, ${rowText(table)} AS row FROM "${table.name}"`).all();
    return;
  }
  const next = client.prepare<ReadRow, [number]>(
    `SELECT rowid AS id, ${rowText(table)} AS row FROM "${table.name}" WHERE rowid > ? ORDER BY rowid LIMIT ${SLICE_ROWS}`,
  );
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const rows = next.all(after);
    yield rows;
    const last = rows.at(-1)?.id ?? after;
    // In a damaged file, rows may be out of order: they would come again and again.
    if (rows.length < SLICE_ROWS || last <= after) return next.finalize();
    after = last;
  }
};

/** What a table holds; each step reads one slice. */
const stepsOf = function* (client: Client, table: Table): Generator<undefined, TableContent> {
  let content = EMPTY;
  for (const rows of slicesOf(client, table)) {
    for (const { row } of rows) content = plus(content, row, 1);
    yield;
  }
  return content;
};

const contentOf = (client: Client, table: Table): TableContent => {
  const steps = stepsOf(client, table);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};

interface Stored {
  position: number;
  tables: string;
}

/** Undefined unless this is a replica whose last writer followed the changes. */
const storedIn = (client: Client): Stored | undefined =>
  hasTable(client, CONTENTS) && hasTable(client, REPLICA)
    ? (client
        .query<Stored, []>(`SELECT position, tables FROM ${CONTENTS} JOIN ${REPLICA} USING (position)`)
        .get() ?? undefined)
    : undefined;

/**
 * Keeps the contents of a replica's tables up to date, in the transactions that change them: triggers of this connection note
 * the rows, as SQLite had no function for a hash. Another node at the same position has the same contents.
 * @param writer no other connection of this process writes
 */
export const openContents = (writer: Client) => {
  let known: { text: string; contents: Contents } | undefined;
  writer.run(`CREATE TEMP TABLE ${CHANGES} (table_name TEXT, sign INTEGER, row TEXT)`);
  writer.run(CREATE_CONTENTS);
  const changesStatement = writer.prepare(`SELECT table_name, sign, row FROM temp.${CHANGES}`);
  const clearStatement = writer.prepare(`DELETE FROM temp.${CHANGES}`);
  const storedStatement = writer.prepare<Stored, []>(`SELECT position, tables FROM ${CONTENTS}`);
  const saveStatement = writer.prepare<never, SQLQueryBindings[]>(
    `INSERT OR REPLACE INTO ${CONTENTS} (one, position, tables) VALUES (1, ?, ?)`,
  );
  let triggers: string[] = [];
  const checkpoints: ContentDigest[] = [];

  const takeChanges = () => {
    const changes = changesStatement.values() as [table: string, sign: number, row: string][];
    if (changes.length > 0) clearStatement.run();
    return changes;
  };
  const save = (position: number, contents: Contents): void => {
    const tables = toText(contents);
    saveStatement.run(position, tables);
    known = { text: tables, contents };
    if (position % CHECKPOINT !== 0) return;
    checkpoints.push(digestOf({ position, tables }));
    checkpoints.splice(0, checkpoints.length - KEPT_CHECKPOINTS);
  };
  const contentsIn = (text: string): Contents => (known?.text === text ? known.contents : fromText(text));

  return {
    /** At the last positions that nodes compare, and at that of the file. */
    digests(): readonly ContentDigest[] {
      const stored = storedIn(writer);
      return stored ? [...checkpoints, digestOf(stored)] : checkpoints;
    },
    /** Starts to follow the changes, after the migrations; reads the whole file if a program that did not has written it. */
    follow(): void {
      if (triggers.length > 0) return;
      writer.run("BEGIN IMMEDIATE");
      try {
        const tables = tablesOf(writer);
        for (const sql of tables.flatMap(triggersOf)) writer.run(sql);
        triggers = tables.flatMap(({ name }) => SEEN.map((event) => `content_${name}_${event}`));
        const { position } = rowOf(writer.query<{ position: number }, []>(`SELECT position FROM ${REPLICA}`));
        if (storedStatement.get()?.position !== position)
          save(position, new Map(tables.map((table) => [table.name, contentOf(writer, table)])));
        writer.run("COMMIT");
      } catch (error) {
        if (writer.inTransaction) writer.run("ROLLBACK");
        throw error;
      }
    },
    /** For migrations, which change what a row is. The file's contents are unknown until `follow`. */
    unfollow(): void {
      for (const name of triggers) writer.run(`DROP TRIGGER temp.${name}`);
      triggers = [];
    },
    /** Adds the changes of the open transaction, which goes from one position to another. */
    advance(from: number, to: number): void {
      const changes = takeChanges();
      const stored = storedStatement.get();
      // A program that does not follow the changes has written since: the next start reads the file.
      if (triggers.length === 0 || stored?.position !== from) return;
      const contents = new Map(contentsIn(stored.tables));
      for (const [table, sign, row] of changes)
        contents.set(table, plus(contents.get(table) ?? EMPTY, row, sign));
      save(to, contents);
    },
  };
};

const isSame = (a: TableContent, b: TableContent): boolean => a.hash === b.hash && a.rows === b.rows;

/** Compares one table in a transaction: a long one would keep the log from being truncated. */
const checkTable = async (
  client: Client,
  table: Table,
  pause: () => Promise<unknown>,
): Promise<string | undefined> => {
  client.run("BEGIN");
  try {
    const stored = storedIn(client);
    if (!stored) return undefined;
    const before = fromText(stored.tables).get(table.name) ?? EMPTY;
    const steps = stepsOf(client, table);
    for (let step = steps.next(); ; step = steps.next()) {
      if (!step.done) await pause();
      else if (isSame(step.value, before)) return undefined;
      else if (step.value.rows === before.rows) return table.name;
      else return `${table.name} (${step.value.rows} rows instead of ${before.rows})`;
    }
  } finally {
    client.run("COMMIT");
  }
};

/**
 * Compares the rows of a replica with its record of them: SQLite has no checksum that a changed bit in a row would break.
 * @param client a connection with no other use
 * @param pause is awaited between steps of some milliseconds
 * @returns the tables that differ; undefined if the file has no record of them
 */
export const damagedTables = async (
  client: Client,
  pause: () => Promise<unknown> = () => Bun.sleep(0),
): Promise<string[] | undefined> => {
  if (!storedIn(client)) return undefined;
  const damaged: string[] = [];
  for (const table of tablesOf(client)) {
    const found = await checkTable(client, table, pause);
    if (found !== undefined) damaged.push(found);
  }
  return damaged;
};

export const describeDamage = (tables: readonly string[]): string =>
  `the file is damaged: its rows are not those that were written, in ${tables.join(", ")}`;

/** `unknown`: the file has no record of its contents. */
type FileState =
  { readonly state: "sound" | "unknown" } | { readonly state: "damaged"; readonly reason: string };

/** A damaged trigger fails only when it runs. A newer program's schema is not known here. */
const schemaProblem = (client: Client): string | undefined => {
  const applied = appliedMigrations(client).length;
  return applied > migrations.length ? undefined : foreignObject(client, migrations.slice(0, applied));
};

const checkContents = async (path: string, pause?: () => Promise<unknown>): Promise<FileState> => {
  using client = openExisting(path, { readonly: true });
  try {
    const tables = await damagedTables(client, pause);
    if (tables && tables.length > 0) return { state: "damaged", reason: describeDamage(tables) };
    const problem = schemaProblem(client);
    if (problem !== undefined) return { state: "damaged", reason: `the file is damaged: ${problem}` };
    return { state: tables ? "sound" : "unknown" };
  } catch (error) {
    const failure = asDiskError(client, error);
    if (isDamageOrSchema(failure))
      return { state: "damaged", reason: `the file is damaged: ${reasonOf(failure)}` };
    throw failure;
  }
};

const structuralProblem = async (path: string): Promise<string | undefined> => {
  try {
    await using worker = await openSqlWorker(path);
    const [found] = await worker.all("PRAGMA integrity_check(1)");
    const result = String(found?.["integrity_check"]);
    return result === "ok" ? undefined : result;
  } catch (error) {
    if (isDamage(error)) return reasonOf(error);
    throw error;
  }
};

/**
 * Checks the contents, pages and indexes of a replica's file, which may be in use.
 * @param pause as of `damagedTables`
 * @throws DiskError if the disk fails
 */
export const checkFile = async (path: string, pause?: () => Promise<unknown>): Promise<FileState> => {
  const contents = await checkContents(path, pause);
  if (contents.state === "damaged") return contents;
  const problem = await structuralProblem(path);
  return problem === undefined ? contents : { state: "damaged", reason: `the file is damaged: ${problem}` };
};
