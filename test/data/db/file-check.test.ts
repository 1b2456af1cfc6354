import { Database } from "bun:sqlite";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { expect, test } from "bun:test";
import { DamagedParts, checkFile, partOf } from "../../../src/data/db/file-check.ts";
import { isDamage } from "../../../src/lib/storage-errors.ts";
import { zeroPages } from "../../support/damage.ts";
import { addPet, faultOf, openStore, temporaryDirectory } from "../../support/store.ts";

/** A store with animals, whose log is empty. */
const filled = async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  for (let at = 0; at < 100; at++) await addPet(store, { name: `Animal ${at} ${"x".repeat(90)}` });
  store.database.client.run("UPDATE pets_indexed SET indexed_to = counted_to");
  store.database.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { path, store };
};

test("every table belongs to a part that users know", async () => {
  const store = await openStore();
  const tables = store.database.client
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter(({ name }) => partOf(name) === undefined)).toEqual([]);
});

test("a check of an intact file finds nothing", async () => {
  const { path } = await filled();
  const { damage, unreadable, differences } = await checkFile(path, { isSlow: true });
  expect([[...damage], unreadable, differences]).toEqual([[], undefined, []]);
});

test.each([
  ["pets", "pets", "animals"],
  ["pets_by_status", "pets", "animals"],
  ["pet_names_by_name", "pet_names", "search"],
  ["pets_words_idx", "pets_words_idx", "search"],
  ["audit_entries", "audit_entries", "audit log"],
])("a check finds the zeroed pages of %s", async (name, table, part) => {
  const { path } = await filled();
  zeroPages(path, name);
  const { damage } = await checkFile(path);
  expect([...damage.keys()]).toContain(table);
  expect(new DamagedParts(damage.keys()).message).toMatch(new RegExp(`^damaged: ${part}; working: `));
});

test("an index of words whose version is damaged counts as damaged, though SQLite reports a usual error", async () => {
  const { path, store } = await filled();
  await store.database.close();
  const content = readFileSync(path);
  for (let at = content.indexOf("version\x04"); at >= 0; at = content.indexOf("version\x04", at))
    content.writeUInt8(0, at + "version".length);
  writeFileSync(path, content);
  const { damage } = await checkFile(path);
  expect([...damage.keys()]).toEqual(["pets_words", "orders_words"]);
  using client = new Database(path, { readonly: true });
  try {
    client.query("SELECT rowid FROM pets_words('animal')").all();
    expect.unreachable();
  } catch (error) {
    expect([String(error), isDamage(error)]).toEqual([
      expect.stringContaining("invalid fts5 file format"),
      true,
    ]);
  }
});

test("/readyz names the damaged and the working parts, to requests without a key too, and other parts work", async () => {
  const { path, store } = await filled();
  zeroPages(path, "pets");
  store.database.client.run("PRAGMA shrink_memory");
  await store.database.inspect();
  const ready = await store.call("GET", "/readyz", { key: false });
  expect(ready.status).toBe(503);
  expect(((await ready.json()) as { message: string }).message).toBe(
    "The service is not ready (database: damaged: animals; working: search, orders, sites, keys, people, audit log, idempotency keys, schema. Run adoption-store doctor to find the remedy).",
  );
  expect(await faultOf(await store.call("GET", "/v1/pets?limit=100"))).toBe("503 storage_unavailable");
  expect((await store.call("GET", "/v1/store/orders")).status).toBe(200);
});

test("of writes that arrive together, only those that need damaged pages fail", async () => {
  const { path, store } = await filled();
  zeroPages(path, "pets");
  store.database.client.run("PRAGMA shrink_memory");
  const statuses = await Promise.all([
    store.call("POST", "/v1/categories", { json: { name: "Cats" } }),
    store.call("POST", "/v1/pets", { json: { name: "Rex", categoryId: 1 } }),
    store.call("POST", "/v1/categories", { json: { name: "Dogs" } }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([201, 503, 201]);
});

test("derived data that differs from its rows is a warning of /readyz until it is repaired", async () => {
  const { store } = await filled();
  store.database.client.run("DELETE FROM pet_names WHERE id < 21");
  await store.database.inspect();
  const { warnings } = (await (await store.call("GET", "/readyz")).json()) as { warnings: object[] };
  const message = expect.stringContaining(
    "(animals in the list by name: 20): run adoption-store doctor to find the remedy",
  );
  expect(warnings).toEqual([{ code: "derived_data_differs", count: 20, message }]);
});

test("a page that the disk changes between two checks is a warning of /readyz that names its table", async () => {
  const { store, path } = await filled();
  await store.database.inspect();
  await store.database.shrinkLog();
  store.database.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  await store.database.inspect();
  const rows = store.database.client
    .query<{ page: number }, []>(
      "SELECT max(pageno) AS page FROM dbstat WHERE name = 'pets' AND pagetype = 'leaf'",
    )
    .get();
  const file = openSync(path, "r+");
  writeSync(file, "y", ((rows?.page ?? 0) - 1) * 4096 + 4085);
  closeSync(file);
  await store.database.inspect();
  const { warnings } = (await (await store.call("GET", "/readyz")).json()) as { warnings: object[] };
  expect(warnings).toContainEqual({
    code: "pages_changed",
    count: 1,
    message: expect.stringContaining("(pets: 1): compare these tables with the last backup"),
  });
});

test("a check that is stopped ends with the reason of its signal", async () => {
  const { path } = await filled();
  const stopped = new AbortController();
  const check = checkFile(path, { isSlow: true, signal: stopped.signal });
  stopped.abort(new Error("stopped"));
  expect(await check.catch(String)).toBe("Error: stopped");
});
