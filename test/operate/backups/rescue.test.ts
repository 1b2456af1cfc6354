import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Database as Client } from "bun:sqlite";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { assertNotRescued, storeRescue } from "../../../src/operate/backups/rescue.ts";
import { addPet, openStore, temporaryDirectory } from "../../support/store.ts";

/** A store whose directory, with the one above it, has been deleted. */
const deletedStore = async () => {
  const place = temporaryDirectory();
  const parent = join(place, "parent");
  const directories = { dataDir: join(parent, "data"), backupDir: join(place, "backups") };
  mkdirSync(directories.dataDir, { recursive: true });
  const store = await openStore({ path: databasePath(directories.dataDir) });
  await addPet(store, { name: "Bella" });
  const failures: string[] = [];
  const rescue = storeRescue(store.database.client, directories, {
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    onFailure: (message) => failures.push(message),
    retryMs: 5,
  });
  rmSync(parent, { recursive: true });
  expect(() => store.database.assertInPlace()).toThrow("moved or deleted");
  return { place, directories, store, rescue, failures, loss: await store.database.lost };
};

test("a deleted store without a place for its data waits until there is one, and names the descriptors meanwhile", async () => {
  const { directories, rescue, failures, loss } = await deletedStore();
  let isSettled = false;
  const settled = rescue.settle(loss).finally(() => (isSettled = true));
  while (failures.length < 2) await Bun.sleep(5);
  expect(isSettled).toBe(false);
  expect(failures[0]).toMatch(/cp \/proc\/\d+\/fd\/\d+ saved\.db; cp \/proc\/\d+\/fd\/\d+ saved\.db-wal$/);
  mkdirSync(directories.backupDir);
  const { message } = await settled;
  const rescued = join(directories.backupDir, "data.rescued-20260102T030405.006Z");
  expect(message).toContain(`its data is saved in ${rescued}, and the copy is intact`);
  using client = new Client(databasePath(rescued), { readonly: true });
  expect(client.query("SELECT name FROM pets").all()).toEqual([{ name: "Bella" }]);
  expect(readdirSync(rescued)).toEqual(["adoption-store.db"]);
  expect(() => assertNotRescued(directories)).toThrow(`${rescued} holds the one that was deleted`);
});

test("the last attempt of a stopping server saves the data once", async () => {
  const { directories, rescue, loss } = await deletedStore();
  expect(await rescue.last(loss)).toBeUndefined();
  mkdirSync(directories.backupDir);
  expect(await rescue.last(loss)).toBe((await rescue.settle(loss)).message);
  expect(readdirSync(directories.backupDir)).toHaveLength(1);
});

test("a store that is not intact is saved as it is, and the report names the defect", async () => {
  const { directories, store, rescue, loss } = await deletedStore();
  store.database.client.run("DROP INDEX orders_by_pet");
  mkdirSync(directories.backupDir);
  expect(await rescue.last(loss)).toMatch(/but the copy is not intact \(.*orders_by_pet/);
  expect(readdirSync(directories.backupDir)).toHaveLength(1);
});
