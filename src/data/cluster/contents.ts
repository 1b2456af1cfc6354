import type { Database as Client, SQLQueryBindings } from "bun:sqlite";
import { CONTENTS, CREATE_CONTENTS, hasTable, REPLICA } from "../db/schema-check.ts";
import { rowOf } from "../db/statement.ts";

/** Tables that each node makes for itself, and those of the cluster's own state. */
const LOCAL = new Set(["pet_names", "pets_indexed", CONTENTS, REPLICA]);

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
    if (rows.length < SLICE_ROWS) return next.finalize();
    after = rows.at(-1)?.id ?? after;
  }
};

/** The contents as the rows are, table by table; each step reads one slice. */
const steps = function* (client: Client): Generator<undefined, Contents> {
  const contents = new Map<string, TableContent>();
  for (const table of tablesOf(client)) {
    let content = EMPTY;
    for (const rows of slicesOf(client, table)) {
      for (const { row } of rows) content = plus(content, row, 1);
      yield;
    }
    contents.set(table.name, content);
  }
  return contents;
};

const allSteps = <Result>(all: Generator<undefined, Result>): Result => {
  for (;;) {
    const step = all.next();
    if (step.done) return step.value;
  }
};

interface Stored {
  position: number;
  tables: string;
}

const storedIn = (client: Client): Stored | undefined =>
  hasTable(client, CONTENTS)
    ? (client.query<Stored, []>(`SELECT position, tables FROM ${CONTENTS}`).get() ?? undefined)
    : undefined;

const positionOf = (client: Client): number =>
  rowOf(client.query<{ position: number }, []>(`SELECT position FROM ${REPLICA}`)).position;

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

  const takeChanges = () => {
    const changes = changesStatement.values() as [table: string, sign: number, row: string][];
    if (changes.length > 0) clearStatement.run();
    return changes;
  };
  const save = (position: number, contents: Contents): void => {
    const text = toText(contents);
    saveStatement.run(position, text);
    known = { text, contents };
  };
  const contentsIn = (text: string): Contents => (known?.text === text ? known.contents : fromText(text));

  return {
    /** Starts to follow the changes, after the migrations; reads the whole file if a program that did not has written it. */
    follow(): void {
      if (triggers.length > 0) return;
      writer.run("BEGIN IMMEDIATE");
      try {
        const tables = tablesOf(writer);
        for (const sql of tables.flatMap(triggersOf)) writer.run(sql);
        triggers = tables.flatMap(({ name }) => SEEN.map((event) => `content_${name}_${event}`));
        const position = positionOf(writer);
        if (storedStatement.get()?.position !== position) save(position, allSteps(steps(writer)));
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

export type FollowedContents = ReturnType<typeof openContents>;

const difference = (stored: Contents, found: Contents): string[] =>
  [...new Set([...stored.keys(), ...found.keys()])].flatMap((table) => {
    const [before, now] = [stored.get(table) ?? EMPTY, found.get(table) ?? EMPTY];
    if (before.hash === now.hash && before.rows === now.rows) return [];
    return [before.rows === now.rows ? table : `${table} (${now.rows} rows instead of ${before.rows})`];
  });

/**
 * Compares the rows of a replica with its record of them: a changed bit in a row is in no checksum of SQLite.
 * @param client with a connection of its own, which reads one state meanwhile
 * @param pause is awaited between slices of some milliseconds
 * @returns the tables that differ; undefined if the file has no record of them
 */
export const damagedTables = async (
  client: Client,
  pause: () => Promise<unknown> = () => Bun.sleep(0),
): Promise<string[] | undefined> => {
  client.run("BEGIN");
  try {
    const stored = storedIn(client);
    if (stored?.position !== positionOf(client)) return undefined;
    const all = steps(client);
    for (let step = all.next(); ; step = all.next()) {
      if (step.done) return difference(fromText(stored.tables), step.value);
      await pause();
    }
  } finally {
    client.run("COMMIT");
  }
};

/** A digest of all contents, and the position that it is of; undefined if they are unknown. */
export const contentDigest = (client: Client): { position: number; digest: string } | undefined => {
  const stored = storedIn(client);
  return stored && { position: stored.position, digest: Bun.hash(stored.tables).toString(RADIX) };
};
