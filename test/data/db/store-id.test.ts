import { Database as Client } from "bun:sqlite";
import { expect, test } from "bun:test";
import { storeIdOf } from "../../../src/data/db/store-id.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { openDatabase } from "../../../src/data/db/open.ts";
import { temporaryDirectory } from "../../support/store.ts";

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
