import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { copyFileSync, existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareRestore } from "../../../src/operate/backups/restore.ts";
import { readConfig } from "../../../src/config/config.ts";
import { databasePath, restoringPath } from "../../../src/data/data-dir/paths.ts";
import { takeLock } from "../../../src/data/db/file-lock.ts";
import { startServer } from "../../../src/app/server.ts";
import { addPet, temporaryDirectory } from "../../support/store.ts";
import { giveToUser, isRoot } from "../../support/user.ts";
import {
  NOW,
  backUp,
  closedStore,
  change,
  copyDatabase,
  filesIn,
  forget,
  namesIn,
  restoreTo,
  storeIn,
} from "./stores.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** A backup of a store with Bella, and the DATA_DIR of another store, with Max. */
const backupAndStore = async () => ({
  file: (await backUp(await closedStore("Bella"))).file,
  dataDir: await closedStore("Max"),
});

const ASIDE = "adoption-store.db.before-restore-20261120T030000.000Z";

test("a restore replaces the database, which is set aside and can be restored in turn", async () => {
  const dataDir = await closedStore("Bella");
  const { file } = await backUp(dataDir);
  change(databasePath(dataDir), "INSERT INTO pets (name, category_id, created_at) VALUES ('Max', 1, 1)");
  const { aside = "" } = await restoreTo(dataDir, file);
  expect(aside).toBe(join(dataDir, ASIDE));
  expect(filesIn(dataDir)).toEqual(["adoption-store.db", ASIDE, "server.lock"]);
  expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
  await restoreTo(dataDir, aside, NOW + 1);
  expect(await namesIn(dataDir)).toEqual(["Bella", "Max"]);
});

test("a backup is restored to a directory that does not exist yet", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const dataDir = join(temporaryDirectory(), "new");
  expect((await restoreTo(dataDir, file)).aside).toBeUndefined();
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
});

test("the log of a killed server goes into the database that is set aside, and not into the restored one", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const running = temporaryDirectory();
  const store = await storeIn(running);
  await addPet(store, { name: "Max" });
  // As after kill -9: a copy of the open database and its log.
  const dataDir = temporaryDirectory();
  copyDatabase(running, dataDir);
  expect(statSync(`${databasePath(dataDir)}-wal`).size).toBeGreaterThan(0);
  const { aside = "" } = await restoreTo(dataDir, file);
  expect(filesIn(dataDir)).toEqual(["adoption-store.db", ASIDE, "server.lock"]);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
  const kept = new Client(aside, { readonly: true });
  expect(kept.query("SELECT name FROM pets").all()).toEqual([{ name: "Max" }]);
  kept.close();
});

test("a damaged database is set aside as it is, with its log, and does not prevent the restore", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const dataDir = temporaryDirectory();
  const broken = "this is no database, and it is long enough to be looked at".repeat(50);
  writeFileSync(databasePath(dataDir), broken);
  writeFileSync(`${databasePath(dataDir)}-wal`, "its log");
  const { aside = "" } = await restoreTo(dataDir, file);
  expect(readFileSync(aside, "utf8")).toBe(broken);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
});

test("a restored database has no session of the console and no key of sign-ins, which may have ended since the backup", async () => {
  const source = await closedStore("Bella");
  const before = new Client(databasePath(source));
  before.run(
    "INSERT INTO browser_states (hash, kind, sealed, used_at, until) VALUES ('hash', 'session', 'sealed', 1, 2)",
  );
  before.run("INSERT INTO sealing_keys VALUES (1, 'key')");
  before.close();
  const { file } = await backUp(source);
  const dataDir = temporaryDirectory();
  await restoreTo(dataDir, file);
  const restored = new Client(databasePath(dataDir), { readonly: true });
  for (const table of ["browser_states", "sealing_keys"])
    expect(restored.query(`SELECT * FROM ${table}`).all()).toEqual([]);
  restored.close();
});

test("a log without its database is not read into the restored one", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const running = temporaryDirectory();
  await addPet(await storeIn(running), { name: "Max" });
  const dataDir = temporaryDirectory();
  copyFileSync(`${databasePath(running)}-wal`, `${databasePath(dataDir)}-wal`);
  await restoreTo(dataDir, file);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
});

test("the log of a missing or empty database is set aside with it", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const running = temporaryDirectory();
  await addPet(await storeIn(running), { name: "Max" });
  const log = readFileSync(`${databasePath(running)}-wal`);
  for (const names of [[`${ASIDE}-wal`], [ASIDE, `${ASIDE}-wal`]]) {
    const dataDir = temporaryDirectory();
    if (names.includes(ASIDE)) writeFileSync(databasePath(dataDir), "");
    writeFileSync(`${databasePath(dataDir)}-wal`, log);
    await restoreTo(dataDir, file);
    expect(filesIn(dataDir)).toEqual(["adoption-store.db", ...names, "server.lock"]);
    expect(readFileSync(join(dataDir, `${ASIDE}-wal`)).equals(log)).toBe(true);
  }
});

test("other commands see a restore from its start, before it writes anything, to its end", async () => {
  const { file, dataDir } = await backupAndStore();
  const config = readConfig({ flags: {}, env: { DATA_DIR: dataDir, PORT: "0" }, isTerminal: false });
  const restore = prepareRestore(dataDir, file, NOW, { forget });
  try {
    const busy = "a backup is being restored: try again when the restore has ended";
    expect(await outcomeOf(startServer(config))).toThrow(busy);
    expect(await outcomeOf(backUp(dataDir))).toThrow(busy);
    expect(await outcomeOf(restoreTo(dataDir, file))).toThrow("a backup is being restored");
  } finally {
    restore.close();
  }
  expect(filesIn(dataDir)).toEqual(["adoption-store.db", "server.lock"]);
  expect(await outcomeOf(restoreTo(dataDir, "none.db"))).toThrow("does not exist");
  expect(filesIn(dataDir)).toEqual(["adoption-store.db", "server.lock"]);
});

test.skipIf(!isRoot)("files that root restores belong to the owner of DATA_DIR", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  const dataDir = temporaryDirectory();
  giveToUser(dataDir);
  await restoreTo(dataDir, file);
  await restoreTo(dataDir, file, NOW + 1);
  const { uid } = statSync(dataDir);
  expect(uid).not.toBe(0);
  const owners = filesIn(dataDir).map((name) => statSync(join(dataDir, name)).uid);
  expect(owners).toEqual([uid, uid, uid]);
});

test("a restore succeeds after a killed one, and removes the second name of the database", async () => {
  const { file, dataDir } = await backupAndStore();
  writeFileSync(`${databasePath(dataDir)}.restoring`, "half");
  writeFileSync(`${databasePath(dataDir)}.restoring.raw`, "half");
  linkSync(databasePath(dataDir), `${databasePath(dataDir)}.before-restore-earlier`);
  await restoreTo(dataDir, file);
  expect(filesIn(dataDir)).toEqual(["adoption-store.db", ASIDE, "server.lock"]);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
});

const refused = async (dataDir: string, file: string, says: string) => {
  expect(await outcomeOf(restoreTo(dataDir, file))).toThrow(says);
  expect(filesIn(dataDir).filter((name) => !name.startsWith("server.lock"))).toEqual(["adoption-store.db"]);
  expect(await namesIn(dataDir)).toEqual(["Max"]);
};

test("a restore changes nothing while a server runs", async () => {
  const { file, dataDir } = await backupAndStore();
  const lock = takeLock(join(dataDir, "server.lock"));
  await refused(dataDir, file, "a server is using it");
  lock?.release();
  await restoreTo(dataDir, file);
});

test("a restore changes nothing while another backup is being restored", async () => {
  const { file, dataDir } = await backupAndStore();
  const lock = takeLock(join(dataDir, "server.lock"));
  writeFileSync(restoringPath(dataDir), "half");
  expect(await outcomeOf(restoreTo(dataDir, file))).toThrow(
    `DATA_DIR ${dataDir}: a backup is being restored: try again when the restore has ended`,
  );
  lock?.release();
});

test("a restore changes nothing while another process has the database open", async () => {
  const { file, dataDir } = await backupAndStore();
  const other = new Client(databasePath(dataDir));
  other.query("SELECT count(*) FROM pets").get();
  expect(await outcomeOf(restoreTo(dataDir, file))).toThrow("another process is using it");
  other.close(true);
  expect(await namesIn(dataDir)).toEqual(["Max"]);
}, 30_000);

test("a restore changes nothing for a file that is not a backup", async () => {
  const dataDir = await closedStore("Max");
  const place = temporaryDirectory();
  const other = join(place, "other.db");
  const client = new Client(other, { create: true });
  client.run("CREATE TABLE notes (text TEXT)");
  client.close();
  writeFileSync(
    join(place, "text.db"),
    "this is no database, and it is long enough to be looked at".repeat(50),
  );
  writeFileSync(join(place, "empty.db"), "");
  await refused(dataDir, other, "not a database of adoption-store");
  await refused(dataDir, join(place, "text.db"), "not a database");
  await refused(dataDir, join(place, "empty.db"), "not a database of adoption-store");
  await refused(dataDir, join(place, "none.db"), "does not exist");
  await refused(dataDir, place, "is not an ordinary file");
  await refused(dataDir, databasePath(dataDir), "the database itself");
});

test("a restore changes nothing for a backup that was truncated or changed", async () => {
  const { file, dataDir } = await backupAndStore();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 8192));
  await refused(dataDir, file, "cannot be restored");
  writeFileSync(file, Buffer.from(bytes).fill(0xff, 8192, 12_288));
  await refused(dataDir, file, "cannot be restored");
});

test.each([
  ["UPDATE migrations SET hash = 'another' WHERE id = 2", "0001_platform of the database differs from that"],
  ["INSERT INTO migrations (tag, hash, applied_at) VALUES ('9999_later', 'x', 1)", "newer than this program"],
  [
    "CREATE TRIGGER evil AFTER INSERT ON pets BEGIN DELETE FROM pets; END",
    'trigger "evil" is not part of adoption-store',
  ],
  ["CREATE INDEX mine ON pets (name, status)", 'index "mine" is not part of adoption-store'],
  ["CREATE VIEW mine AS SELECT * FROM pets", 'view "mine" is not part of adoption-store'],
  ["CREATE TABLE pets_words_mine (text TEXT)", 'table "pets_words_mine" is not part of adoption-store'],
  ["DROP TRIGGER pets_renamed", 'trigger "pets_renamed" is missing'],
  [
    "DROP TRIGGER pets_deleted; CREATE TRIGGER pets_deleted AFTER DELETE ON pets BEGIN DELETE FROM orders; END",
    'trigger "pets_deleted" differs from that of adoption-store',
  ],
  ["ALTER TABLE keys ADD COLUMN more TEXT", 'table "keys" differs from that of adoption-store'],
  [
    "ALTER TABLE backup_files ADD COLUMN more TEXT",
    'table "backup_files" differs from that of adoption-store',
  ],
])(
  "a restore changes nothing for a backup that was changed with %s, and suggests no other backup",
  async (sql, says) => {
    const { file, dataDir } = await backupAndStore();
    change(file, sql);
    await refused(dataDir, file, says);
    expect(await outcomeOf(restoreTo(dataDir, file))).not.toThrow("restore a backup");
  },
);

test("a restore changes nothing for a missing backup, and a mistyped directory is not created", async () => {
  const dataDir = join(temporaryDirectory(), "mistyped");
  expect(await outcomeOf(restoreTo(dataDir, "/none.db"))).toThrow("does not exist");
  expect(existsSync(dataDir)).toBe(false);
  rmSync(dataDir, { force: true, recursive: true });
});

test("a backup with SQLite's own statistics can be restored", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  change(file, "ANALYZE");
  const dataDir = await closedStore("Max");
  await restoreTo(dataDir, file);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
});
