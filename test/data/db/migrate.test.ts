import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, MigrationRefused, migrationSteps } from "../../../src/data/db/migrate.ts";
import { migrations, SQUASHED } from "../../../src/data/db/migrations.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { migrated, squash } from "./squash.ts";
import { brokenConstraint, constraintsIn } from "../../../src/data/db/integrity.ts";
import { storeIdOf } from "../../../src/data/db/store-id.ts";

const FOLDER = join(import.meta.dir, "../../../drizzle");
const ONE = { tag: "0000_one", sql: "CREATE TABLE one (id INTEGER PRIMARY KEY) STRICT" };
const TWO = { tag: "0001_two", sql: "CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT" };

const tables = (client: Client) =>
  client
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%_words%' ORDER BY name",
    )
    .all();

test("the embedded migrations are the files of drizzle/, in the order of its journal", () => {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  expect(migrations.map(({ tag }) => `${tag}.sql`)).toEqual(files);
  for (const { tag, sql } of migrations) expect(sql).toBe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  const journal = JSON.parse(readFileSync(join(FOLDER, "meta/_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  expect(migrations.map(({ tag }) => tag)).toEqual(journal.entries.map(({ tag }) => tag));
});

test("drizzle/meta has the journal and the snapshot of the newest migration", () => {
  const number = migrations.at(-1)?.tag.slice(0, 4);
  expect(readdirSync(join(FOLDER, "meta")).toSorted()).toEqual([`${number}_snapshot.json`, "_journal.json"]);
});

/** The rows of all tables, and the settings of the indexes of words. */
const rowsOf = (client: Client) => {
  const rows = (query: string) => client.query(query).values();
  const names = rows(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'
      AND (type = 'table' OR name LIKE '%_words_config')`,
  );
  return Object.fromEntries(names.map(([name]) => [name, rows(`SELECT * FROM ${String(name)} ORDER BY 1`)]));
};

/** Everything that a database holds but the times of its migrations. */
const contentOf = (client: Client) => ({
  schema: client.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").values(),
  ledger: client.query("SELECT tag, hash FROM migrations ORDER BY id").values(),
  rows: rowsOf(client),
});

test("a new database holds exactly the result of all migrations, one after the other", () => {
  using client = new Client(":memory:");
  migrate(client, migrations);
  const expected = contentOf(migrated());
  expect(Object.keys(expected.rows).length).toBeGreaterThan(20);
  expect(contentOf(client)).toEqual(expected);
});

test("the next squashed schema has the rows and settings of the migrations", () => {
  using client = new Client(":memory:");
  client.run(squash(migrated()));
  expect(rowsOf(client)).toEqual(rowsOf(migrated()));
});

test("a new database begins with the squashed schema and continues with the later migrations", () => {
  const steps = migrationSteps([...migrations, { ...ONE, tag: "9999_next" }]);
  const applied: string[] = [];
  for (let next = steps.next([]); !next.done; next = steps.next([])) applied.push(next.value.of?.tag ?? "");
  expect([...new Set(applied)].filter((tag) => tag !== "")).toEqual([
    ...migrations.map(({ tag }) => tag).filter((tag) => tag > SQUASHED.tag),
    "9999_next",
  ]);
});

test("every table is STRICT, and ids are AUTOINCREMENT", async () => {
  const database = openDatabase(":memory:");
  for (const { name, sql } of tables(database.client)) {
    expect([name, sql.trimEnd().endsWith("STRICT")]).toEqual([name, true]);
    if (["pets", "keys"].includes(name)) expect(sql).toContain("AUTOINCREMENT");
  }
  await database.close();
});

test("migrating applies missing migrations once", () => {
  const client = new Client(":memory:");
  migrate(client, [ONE]);
  migrate(client, [ONE, TWO]);
  migrate(client, [ONE, TWO]);
  expect(tables(client).map(({ name }) => name)).toEqual(["migrations", "one", "two"]);
});

test.each([
  ["a database newer than the program", [ONE, TWO], [ONE], "newer than this program"],
  [
    "a migration that was changed",
    [ONE],
    [{ ...ONE, sql: `${ONE.sql};` }],
    "differs from that of this program",
  ],
  ["another history", [TWO], [ONE, TWO], "differs from that of this program"],
])("migrating refuses %s", (_name, applied, known, reason) => {
  const client = new Client(":memory:");
  migrate(client, applied);
  expect(() => migrate(client, known)).toThrow(MigrationRefused);
  expect(() => migrate(client, known)).toThrow(reason);
});

test("migrating that fails midway leaves nothing behind", () => {
  const client = new Client(":memory:");
  expect(() =>
    migrate(client, [ONE, { tag: "0001_bad", sql: "CREATE TABLE two (id); CREATE NONSENSE" }]),
  ).toThrow();
  expect(tables(client).map(({ name }) => name)).toEqual(["migrations"]);
  migrate(client, [ONE, TWO]);
  expect(tables(client)).toHaveLength(3);
});

test("migrating that would break a foreign key is refused", () => {
  const client = new Client(":memory:");
  const parent = {
    tag: "0000_a",
    sql: "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE b (a INTEGER REFERENCES a(id)) STRICT; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)",
  };
  migrate(client, [parent]);
  expect(() => migrate(client, [parent, { tag: "0001_b", sql: "DELETE FROM a" }])).toThrow("foreign key");
  expect(client.query("SELECT count(*) AS n FROM a").get()).toEqual({ n: 1 });
});

test("concurrent migrations by several processes apply everything once", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const open = `const { openDatabase } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/data/db/open.ts"))}); await openDatabase(${JSON.stringify(path)}).close();`;
  const runs = Array.from({ length: 3 }, () => Bun.spawn([process.execPath, "-e", open], { stderr: "pipe" }));
  expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  const client = new Client(path);
  expect(client.query("SELECT count(*) AS n FROM migrations").get()).toEqual({ n: migrations.length });
  client.close();
});

test("a write is flushed to the disk before it is acknowledged", async () => {
  const database = openDatabase(`${temporaryDirectory()}/store.db`);
  const pragma = (name: string) => Object.values(database.client.query(`PRAGMA ${name}`).get() as object)[0];
  expect([pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")]).toEqual(["wal", 2, 1]);
  await database.close();
});

const made = (): string => {
  const path = join(temporaryDirectory(), "store.db");
  const client = new Client(path, { create: true });
  migrate(client, migrations);
  client.close();
  return path;
};

test("the program finds every CHECK constraint of the schema", () => {
  const client = new Client(made(), { readonly: true });
  const tables = client
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")
    .all();
  client.close();
  const written = tables.flatMap(({ sql }) => sql.match(/\bCHECK\b/g) ?? []);
  expect(tables.flatMap(({ sql }) => constraintsIn(sql))).toHaveLength(written.length);
  expect(written.length).toBeGreaterThan(5);
});

test("a row that breaks a CHECK constraint is found on a read-only connection, where SQLite does not look", () => {
  const path = made();
  const writer = new Client(path, { readwrite: true });
  expect(brokenConstraint(writer)).toBeUndefined();
  writer.run("PRAGMA ignore_check_constraints=ON");
  writer.run("INSERT INTO pet_events (kind, pet_id) VALUES ('adbed', 1)");
  writer.close();
  const client = new Client(path, { readonly: true });
  expect(client.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(brokenConstraint(client)).toBe("pet_events_kind");
  client.close();
});

const idIn = async (path: string): Promise<string | undefined> => {
  const database = openDatabase(path);
  const id = storeIdOf(database.client);
  await database.close();
  return id;
};

test("each store gets its own id when it is created, and keeps it", async () => {
  const path = `${temporaryDirectory()}/one.db`;
  const id = await idIn(path);
  expect(id).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  expect(await idIn(path)).toBe(id);
  expect(await idIn(`${temporaryDirectory()}/other.db`)).not.toBe(id);
});

test("a database from before there were store ids gets one with the migration", async () => {
  const path = `${temporaryDirectory()}/old.db`;
  const old = new Client(path, { create: true });
  migrate(old, migrations.slice(0, 1));
  expect(storeIdOf(old)).toBeUndefined();
  old.close();
  expect(await idIn(path)).toBeString();
});

test("the table of the store id has at most one row", async () => {
  const database = openDatabase(":memory:");
  expect(() => database.client.run("INSERT INTO store_identity VALUES (2, 'another', 0)")).toThrow(
    "store_identity_one",
  );
  await database.close();
});
