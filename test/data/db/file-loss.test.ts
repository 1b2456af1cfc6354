import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { adminKeyPath, databasePath } from "../../../src/data/data-dir/paths.ts";
import { startServer } from "../../../src/app/server.ts";
import { type Store, addPet, atEnd, faultOf, openStore, temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** A store in a file, with animals and tables that are only in its log. */
const storeWith = async (...names: string[]): Promise<{ store: Store; path: string }> => {
  const path = join(temporaryDirectory(), "store.db");
  // The migrations of an empty file are in the log. A missing file would become a copy of a database.
  writeFileSync(path, "");
  const store = await openStore({ path });
  for (const name of names) await addPet(store, { name });
  return { store, path };
};

/** The animals that a start would find if the process were killed now. */
const namesAfterCrash = (path: string): string[] => {
  const copy = join(temporaryDirectory(), "store.db");
  for (const end of ["", "-wal"]) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  const client = new Client(copy);
  const rows = client.query<{ name: string }, []>("SELECT name FROM pets ORDER BY id").all();
  client.close();
  return rows.map(({ name }) => name);
};

const adding = async (store: Store): Promise<string> =>
  faultOf(await store.call("POST", "/v1/pets", { json: { name: "Late", categoryId: 1 } }));

const losses: [string, (log: string) => void][] = [
  ["deleted", (log) => rmSync(log)],
  ["moved away", (log) => renameSync(log, `${log}.moved`)],
  [
    "replaced",
    (log) => {
      writeFileSync(`${log}.other`, "another log");
      renameSync(`${log}.other`, log);
    },
  ],
];

test.each(losses)(
  "a log that is %s is noticed by the next write, and all that it held is saved",
  async (_name, lose) => {
    const { store, path } = await storeWith("Bella", "Max");
    lose(`${path}-wal`);
    expect(await adding(store)).toBe("503 storage_unavailable");
    const { message } = await store.database.lost;
    expect(message).toBe(
      "store.db-wal was deleted or replaced while the server ran; its content was saved in the database: start the server again",
    );
    rmSync(`${path}-wal`, { force: true });
    expect(namesAfterCrash(path)).toEqual(["Bella", "Max"]);
    expect(await adding(store)).toBe("503 storage_unavailable");
    await store.database.close();
    expect(namesAfterCrash(path)).toEqual(["Bella", "Max"]);
  },
);

test("a deleted log is noticed without a write, and a reader only delays saving it", async () => {
  const { store, path } = await storeWith("Bella");
  const reader = new Client(path, { readonly: true });
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM pets").get();
  await addPet(store, { name: "Max" });
  rmSync(`${path}-wal`);
  expect(() => store.database.assertInPlace()).toThrow("store.db-wal was deleted");
  await Bun.sleep(50);
  reader.close(true);
  expect((await store.database.lost).message).toContain("was saved");
  expect(namesAfterCrash(path)).toEqual(["Bella", "Max"]);
});

test("a truncated log is noticed, and the rest of it is neither copied nor removed", async () => {
  const { store, path } = await storeWith("Bella", "Max");
  truncateSync(`${path}-wal`, 32);
  const before = readFileSync(path);
  expect(await adding(store)).toBe("503 storage_unavailable");
  expect((await store.database.lost).message).toContain("the last writes may be lost");
  await store.database.close();
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(`${path}-wal`)).toBe(true);
});

test("a deleted index is noticed, and the next start finds everything in the log", async () => {
  const { store, path } = await storeWith("Bella", "Max");
  rmSync(`${path}-shm`);
  expect(await adding(store)).toBe("503 storage_unavailable");
  expect((await store.database.lost).message).toContain("store.db-shm was deleted or replaced");
  await store.database.close();
  expect(namesAfterCrash(path)).toEqual(["Bella", "Max"]);
});

test("a database file that is moved away is noticed by the next write", async () => {
  const { store, path } = await storeWith("Bella");
  renameSync(path, `${path}.moved`);
  expect(await adding(store)).toBe("503 storage_unavailable");
  expect((await store.database.lost).message).toContain("put it back");
});

test("an emptied database file is noticed, and its log is kept next to it", async () => {
  const { store, path } = await storeWith("Bella");
  truncateSync(path);
  expect(await outcomeOf(store.database.assertReady())).toThrow("store.db was emptied");
  expect(await adding(store)).toBe("503 storage_unavailable");
  expect((await store.database.lost).message).toContain("restore a backup");
  await store.database.close();
  expect(existsSync(path)).toBe(false);
  expect(namesAfterCrash(`${path}.emptied`)).toEqual(["Bella"]);
});

test("an emptied database file does not become a database when the process ends without a close", () => {
  const path = join(temporaryDirectory(), "store.db");
  const script = `
    const { truncateSync } = await import("node:fs");
    const { openDatabase } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/data/db/open.ts"))});
    const database = openDatabase(${JSON.stringify(path)});
    truncateSync(database.client.filename);
    try { database.assertInPlace(); } catch {}
    process.exit(1);`;
  expect(Bun.spawnSync([process.execPath, "-e", script], { stderr: "inherit" }).exitCode).toBe(1);
  expect([existsSync(path), existsSync(`${path}.emptied`)]).toEqual([false, true]);
});

test("another process that keeps writing and emptying the log is not taken for a loss", async () => {
  const { store, path } = await storeWith("Bella");
  const script = `
    const { Database } = await import("bun:sqlite");
    const client = new Database(${JSON.stringify(path)});
    client.run("PRAGMA busy_timeout=5000");
    client.run("PRAGMA synchronous=OFF");
    for (let at = 0; at < 2000; at++) {
      client.run("INSERT INTO categories (name, folded) VALUES (?1, ?1)", [String(at)]);
      client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    }`;
  const other = Bun.spawn([process.execPath, "-e", script], { stdout: "inherit", stderr: "inherit" });
  let looks = 0;
  for (; other.exitCode === null; looks++) {
    store.database.assertInPlace();
    if (looks % 100 === 0) await Bun.sleep(0);
  }
  expect(other.exitCode).toBe(0);
  expect(looks).toBeGreaterThan(100);
  await addPet(store, { name: "Max" });
});

test("a server whose log is deleted stops by itself, and nothing that it acknowledged is lost", async () => {
  const dataDir = temporaryDirectory();
  const config = readConfig({
    flags: {},
    env: { DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "silent" },
    isTerminal: false,
  });
  const server = await startServer(config);
  atEnd(() => server.stop());
  const authorization = `Bearer ${readFileSync(adminKeyPath(dataDir), "utf8").trim()}`;
  const add = (name: string) =>
    fetch(`${server.url}/v1/pets`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
  for (const name of ["Bella", "Max"]) expect((await add(name)).status).toBe(201);
  rmSync(`${databasePath(dataDir)}-wal`);
  expect((await server.failed).message).toContain("adoption-store.db-wal was deleted");
  await server.stop();
  expect(namesAfterCrash(databasePath(dataDir))).toEqual(["Bella", "Max"]);
});
