import { expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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

test("a stopping server waits until the data is saved, names the way to lose it, and saves it once", async () => {
  const { directories, rescue, failures, loss } = await deletedStore();
  const settled = rescue.settle(loss);
  let isLast = false;
  const last = rescue.last(loss).finally(() => (isLast = true));
  while (failures.length < 4) await Bun.sleep(5);
  expect(isLast).toBe(false);
  expect(failures.at(-1)).toContain(
    "then stops; to exit now and lose the data, send the signal again; or copy",
  );
  mkdirSync(directories.backupDir);
  expect(await last).toBe((await settled).message);
  expect(readdirSync(directories.backupDir)).toHaveLength(1);
});

/** A rescued store in this place, and the result of the command that brings it back. */
const broughtBack = (dataDir: string, place: string) => {
  const rescued = join(place, "data.rescued-20260102T030405.006Z");
  mkdirSync(join(rescued, "blobs", "ab"), { recursive: true, mode: 0o700 });
  for (const name of ["adoption-store.db", "blobs/ab/cd"]) writeFileSync(join(rescued, name), "rescued");
  let command = "";
  try {
    assertNotRescued({ dataDir, backupDir: join(dataDir, "backups") });
  } catch (error) {
    command = /: run (.*); to start with/.exec((error as Error).message)?.[1] ?? "";
  }
  return { rescued, run: () => Bun.spawnSync(["sh", "-c", command]) };
};

test("the printed command brings a store back to a missing directory, to one with files, and from one in DATA_DIR", () => {
  for (const state of ["missing", "files", "inside"]) {
    const parent = temporaryDirectory();
    const dataDir = join(parent, "data");
    mkdirSync(join(parent, "data.old"));
    if (state !== "missing") {
      mkdirSync(join(dataDir, "blobs", "ab"), { recursive: true });
      writeFileSync(join(dataDir, "blobs", "ab", "ef"), "kept");
      writeFileSync(join(dataDir, "admin.key"), "kept");
    }
    const { rescued, run } = broughtBack(dataDir, state === "inside" ? dataDir : parent);
    if (state !== "missing") linkSync(join(dataDir, "admin.key"), join(rescued, "admin.key"));
    expect(run()).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
    expect(readdirSync(dataDir, { recursive: true }).toSorted()).toEqual([
      ...(state === "missing" ? [] : ["admin.key"]),
      "adoption-store.db",
      "blobs",
      "blobs/ab",
      "blobs/ab/cd",
      ...(state === "missing" ? [] : ["blobs/ab/ef"]),
    ]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(existsSync(rescued)).toBe(false);
    expect(readdirSync(join(parent, "data.old"))).toEqual([]);
  }
});

test("the printed command replaces no database", () => {
  const parent = temporaryDirectory();
  const { rescued, run } = broughtBack(join(parent, "data"), parent);
  mkdirSync(join(parent, "data"));
  writeFileSync(databasePath(join(parent, "data")), "new");
  expect(run().exitCode).toBe(1);
  expect(readFileSync(databasePath(join(parent, "data")), "utf8")).toBe("new");
  expect(readFileSync(databasePath(rescued), "utf8")).toBe("rescued");
});

test("a store that is not intact is saved as it is, and the report names the defect", async () => {
  const { directories, store, rescue, loss } = await deletedStore();
  store.database.client.run("DROP INDEX orders_by_pet");
  mkdirSync(directories.backupDir);
  expect(await rescue.last(loss)).toMatch(/but the copy is not intact \(.*orders_by_pet/);
  expect(readdirSync(directories.backupDir)).toHaveLength(1);
});
