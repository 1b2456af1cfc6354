import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { alias, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { int64, revision } from "../../../src/data/db/columns.ts";
import {
  columnsBut,
  columnsOf,
  insert,
  rowOf,
  set,
  statement,
  statements,
  value,
  valuesFor,
  update,
} from "../../../src/data/db/statement.ts";
import { atEnd } from "../../support/store.ts";

const kennels = sqliteTable(
  "kennels",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kennelName: text("kennel_name").notNull(),
    chip: int64("chip_number"),
    isOpen: integer("is_open", { mode: "boolean" }).notNull().default(true),
    note: text(),
    revision: revision(),
  },
  (table) => [uniqueIndex("kennels_name").on(table.kennelName)],
);
type Kennel = typeof kennels.$inferSelect;

const openKennels = (): Client => {
  const client = new Client(":memory:", { strict: true });
  atEnd(() => client.close());
  client.run(`CREATE TABLE kennels (id INTEGER PRIMARY KEY AUTOINCREMENT, kennel_name TEXT NOT NULL UNIQUE,
    chip_number INTEGER, is_open INTEGER NOT NULL DEFAULT 1, note TEXT, revision INTEGER NOT NULL DEFAULT 0) STRICT`);
  return client;
};

const ADD = statement<Kennel>(sql`
  ${insert(kennels, valuesFor("kennelName", "chip", "note"))}
  RETURNING ${columnsOf(kennels)}`);
const FIND = statement<Kennel>(sql`
  SELECT ${columnsOf(kennels)}
  FROM ${kennels}
  WHERE ${kennels.id} = ${value("id")}`);
const LIST = statement<Kennel>(sql`SELECT ${columnsOf(kennels)} FROM ${kennels} ORDER BY ${kennels.id}`);

const NORTH = { kennelName: "North", chip: 9_007_199_254_740_993n, note: null };
const SOUTH = { kennelName: "South", chip: null, note: "quiet" };

test("a row has the names and values of the schema: exact int64, booleans, null", () => {
  const client = openKennels();
  const north = { id: 1, ...NORTH, isOpen: true, revision: 0 };
  expect(ADD.all(client, NORTH)).toEqual([north]);
  expect(ADD.all(client, SOUTH)).toEqual([{ id: 2, ...SOUTH, isOpen: true, revision: 0 }]);
  expect(FIND.get(client, { id: 1 })).toEqual(north);
});

test.each([2n ** 63n - 1n, -(2n ** 63n), 0n])("a row has the int64 %p as it was stored", (chip) => {
  const client = openKennels();
  ADD.all(client, { ...NORTH, chip });
  expect(FIND.get(client, { id: 1 })?.chip).toBe(chip);
});

test("a row has only the requested columns, also through an alias and a subquery", () => {
  const client = openKennels();
  ADD.all(client, NORTH);
  const other = alias(kennels, "other");
  const aliased = statement(sql`
    SELECT * FROM (SELECT ${columnsOf(other, "chip", "kennelName")} FROM ${kennels} AS ${other})`);
  expect(aliased.all(client)).toEqual([{ kennelName: "North", chip: NORTH.chip }]);
});

test("a row has all columns but those that are excluded", () => {
  const client = openKennels();
  ADD.all(client, NORTH);
  const others = statement(sql`SELECT ${columnsBut(kennels, "id", "note")} FROM ${kennels}`);
  const { kennelName, chip } = NORTH;
  expect(others.all(client)).toEqual([{ kennelName, chip, isOpen: true, revision: 0 }]);
});

test("a row is converted by `as`, which leaves the statement itself as it was", () => {
  const client = openKennels();
  ADD.all(client, NORTH);
  const names = LIST.as(({ kennelName, chip }: Kennel) => `${kennelName} ${chip}`);
  expect(names.all(client)).toEqual(["North 9007199254740993"]);
  expect(names.get(client)).toBe("North 9007199254740993");
  expect(LIST.get(client)?.kennelName).toBe("North");
});

test("a row that does not exist is undefined", () => {
  const client = openKennels();
  expect(FIND.get(client, { id: 1 })).toBeUndefined();
  expect(LIST.all(client)).toEqual([]);
});

test("a query that always has a row is an error without one", () => {
  const client = openKennels();
  const query = client.query<{ id: number }, []>("SELECT id FROM kennels");
  expect(() => rowOf(query)).toThrow("SQLite returned no row: SELECT id FROM kennels");
  ADD.all(client, NORTH);
  expect(rowOf(query)).toEqual({ id: 1 });
});

test("a value that is missing throws instead of being null", () => {
  const client = openKennels();
  const { chip, kennelName } = NORTH;
  expect(() => ADD.all(client, { chip, kennelName })).toThrow("no value for note");
  expect(() => ADD.all(client, { ...NORTH, note: undefined })).toThrow("no value for note");
  expect(() => FIND.get(client)).toThrow("no value for id");
  expect(LIST.all(client)).toEqual([]);
});

test("a value that no place names is ignored", () => {
  const client = openKennels();
  expect(ADD.all(client, { ...NORTH, plan: "free" })).toHaveLength(1);
});

test("a value may stand at several places, and is bound once", () => {
  const client = openKennels();
  const twice = statement<{ name: string; same: number }>(sql`
    SELECT ${value("name")} AS name, ${value("other")} = ${value("name")} AS same`);
  expect(twice.text).toBe("SELECT ?1 AS name, ?2 = ?1 AS same");
  expect(twice.get(client, { name: "a", other: "b" })).toEqual({ name: "a", same: 0 });
});

test("a value may be null, and alone", () => {
  const client = openKennels();
  const echo = statement<{ it: unknown }>(sql`SELECT ${value("it")} AS it`);
  for (const it of [null, 0, "", -1.5, "a'b"]) expect(echo.get(client, { it })).toEqual({ it });
  expect(echo.all(client, { it: new Uint8Array([1, 2]) })).toEqual([{ it: new Uint8Array([1, 2]) }]);
});

test("a value may be in a condition of Drizzle, but has no encoder", () => {
  expect(statement(sql`SELECT 1 WHERE ${eq(kennels.id, value("id"))}`).text).toBe(
    "SELECT 1 WHERE kennels.id = ?1",
  );
  const encoded = statement(sql`SELECT ${sql.param(value("chip"), kennels.chip)}`);
  expect(() => encoded.text).toThrow("a statement binds only value(name)");
});

test("the text has constants as literals, which partial indexes need, and one line per clause", () => {
  const client = openKennels();
  ADD.all(client, { ...NORTH, kennelName: "Ada's" });
  const found = statement<{ id: number }>(sql`
    SELECT ${kennels.id} AS id
    FROM ${kennels}
    WHERE ${kennels.kennelName} IN ${["Ada's", "x"]}
      AND ${kennels.note} IS ${null}
    LIMIT ${2}`);
  expect(found.text).toBe(`SELECT kennels.id AS id
FROM kennels
WHERE kennels.kennel_name IN ('Ada''s', 'x')
AND kennels.note IS null
LIMIT 2`);
  expect(found.all(client)).toEqual([{ id: 1 }]);
});

test("the text with a name that no table has is an error, not a string", () => {
  const client = openKennels();
  const unknown = statement(sql`SELECT 1 FROM ${kennels} WHERE ${sql.identifier("novel")} = 'novel'`);
  expect(() => unknown.all(client)).toThrow("no such column: novel");
});

test("the text is prepared on the first use, once for each connection", () => {
  const [one, other] = [openKennels(), openKennels()];
  let prepared = 0;
  const { prepare } = one;
  one.prepare = ((sql: string) => {
    prepared += 1;
    return prepare.call(one, sql);
  }) as typeof prepare;
  const all = statement<Kennel>(sql`SELECT ${columnsOf(kennels)} FROM ${kennels}`);
  expect(prepared).toBe(0);
  expect([all.all(one), all.all(one), all.all(other)]).toEqual([[], [], []]);
  expect(prepared).toBe(1);
});

test("the text is in the list of statements", () => {
  expect(statements).toContain(FIND);
});

const RENAME = statement<Kennel>(sql`
  ${update(kennels, { kennelName: value("kennelName"), isOpen: false })}
  WHERE ${kennels.id} = ${value("id")}
  RETURNING ${columnsOf(kennels)}`);

test("a write sets columns, and increments the revision", () => {
  const client = openKennels();
  ADD.all(client, NORTH);
  ADD.all(client, SOUTH);
  const renamed = { id: 2, ...SOUTH, kennelName: "West", isOpen: false, revision: 1 };
  expect(RENAME.all(client, { id: 2, kennelName: "West" })).toEqual([renamed]);
  expect(LIST.all(client)).toEqual([{ id: 1, ...NORTH, isOpen: true, revision: 0 }, renamed]);
});

test("a write that returns nothing has no rows", () => {
  const client = openKennels();
  ADD.all(client, NORTH);
  expect(statement(sql`DELETE FROM ${kennels}`).all(client)).toEqual([]);
  expect(LIST.all(client)).toEqual([]);
});

test("a write may insert a row for each that a condition finds, or update the one in its way", () => {
  const client = openKennels();
  const copy = statement<Kennel>(sql`
    ${insert(kennels, { kennelName: sql`${kennels.kennelName} || ' 2'`, chip: kennels.chip, note: "copied" })}
    FROM ${kennels}
    WHERE ${kennels.id} = ${value("id")}
    RETURNING ${columnsOf(kennels)}`);
  expect(copy.all(client, { id: 1 })).toEqual([]);
  ADD.all(client, NORTH);
  const second = {
    id: 2,
    kennelName: "North 2",
    chip: NORTH.chip,
    note: "copied",
    isOpen: true,
    revision: 0,
  };
  expect(copy.all(client, { id: 1 })).toEqual([second]);
  const upsert = statement<Kennel>(sql`
    ${insert(kennels, { kennelName: "North", note: value("note") })}
    ON CONFLICT (kennel_name) DO UPDATE ${set(kennels, { note: sql`excluded.note` })}
    RETURNING ${columnsOf(kennels)}`);
  expect(upsert.all(client, { note: "new" })).toEqual([
    { id: 1, ...NORTH, note: "new", isOpen: true, revision: 1 },
  ]);
  const ignored = statement(sql`${insert(kennels, { kennelName: "North" })} ON CONFLICT DO NOTHING`);
  expect(ignored.all(client)).toEqual([]);
  expect(LIST.all(client)).toHaveLength(2);
});
