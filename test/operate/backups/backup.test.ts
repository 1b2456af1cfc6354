import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import {
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { databaseCopies } from "../../../src/operate/backups/backup-directory.ts";
import { backupName } from "../../../src/operate/backups/file-names.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { shareLock } from "../../../src/data/db/file-lock.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { addPet, temporaryDirectory } from "../../support/store.ts";
import {
  NOW,
  backUp,
  closedStore,
  filesIn,
  includes,
  namesIn,
  newStore,
  restoreTo,
  storeIn,
} from "./stores.ts";
import { outcomeOf } from "../../support/outcome.ts";

const SECRETS = ["KEY-IN-USE", "ORDER-KEY", "KEY-AUTHORIZATION", "THE-TOKEN", "ACCOUNT-KEY"];

/** Inserts a name with a certificate, a name with an order in progress, and an account. */
const addSecrets = (client: Client) => {
  const long = "x".repeat(20_000);
  client.run(
    "INSERT INTO certificates (hostname, failures, created_at, renewals, next_at, key, chain) VALUES ('a.test', 0, 1, 2, 99, ?, 'chain')",
    [`KEY-IN-USE${long}`],
  );
  client.run(
    "INSERT INTO certificates (hostname, failures, created_at, renewals, next_at, order_authority, order_key, token, key_authorization) VALUES ('b.test', 0, 1, 0, -5, 'https://ca.test/', 'ORDER-KEY', 'THE-TOKEN', 'KEY-AUTHORIZATION')",
  );
  client.run(
    "INSERT INTO certificates (hostname, failures, created_at, renewals, next_at) VALUES ('c.test', 3, 1, 0, 1234)",
  );
  client.run("INSERT INTO acme_accounts (authority, key) VALUES ('https://ca.test/', 'ACCOUNT-KEY')");
};

const rowsOf = (file: string, query: string) => {
  const client = new Client(file, { readonly: true });
  const rows = client.query(query).all();
  client.close();
  return rows;
};

test("a backup of an open store is one private file with the committed data", async () => {
  const { dataDir, store } = await newStore();
  await addPet(store, { name: "Bella" });
  const { file, bytes, secrets } = await backUp(dataDir);
  expect([statSync(file).mode & 0o777, statSync(file).size, secrets]).toEqual([0o600, bytes, "none"]);
  expect(rowsOf(file, "SELECT name FROM pets")).toEqual([{ name: "Bella" }]);
  expect(filesIn(join(file, ".."))).toEqual(["backup.db"]);
  // The store stays usable.
  await addPet(store, { name: "Max" });
});

test("private keys leave no byte in a backup, after which new certificates are ordered, and everything else stays", async () => {
  const { dataDir, client } = await newStore();
  addSecrets(client);
  const { file, secrets } = await backUp(dataDir);
  expect(secrets).toBe("left_out");
  for (const secret of SECRETS) expect([secret, includes(file, secret)]).toEqual([secret, false]);
  expect(
    rowsOf(file, "SELECT hostname, next_at, renewals, chain FROM certificates ORDER BY hostname"),
  ).toEqual([
    { hostname: "a.test", next_at: 0, renewals: 2, chain: null },
    { hostname: "b.test", next_at: 0, renewals: 0, chain: null },
    { hostname: "c.test", next_at: 1234, renewals: 0, chain: null },
  ]);
  expect(rowsOf(file, "SELECT * FROM acme_accounts")).toEqual([]);
  expect(rowsOf(file, "SELECT count(*) AS secrets FROM secrets")).toEqual([{ secrets: 1 }]);
});

test("private keys are included with --with-secrets", async () => {
  const { dataDir, client } = await newStore();
  addSecrets(client);
  const { file, secrets } = await backUp(dataDir, { secrets: true });
  expect(secrets).toBe("included");
  for (const secret of SECRETS) expect([secret, includes(file, secret)]).toEqual([secret, true]);
});

test("private keys that were deleted before are not in a backup either", async () => {
  const { dataDir, client } = await newStore();
  addSecrets(client);
  client.run("DELETE FROM certificates");
  const { file } = await backUp(dataDir, { secrets: true });
  expect(includes(file, "KEY-IN-USE")).toBe(false);
});

test("sessions of the console and the key of sign-ins in progress leave no byte in a backup", async () => {
  const { dataDir, client } = await newStore();
  client.run("DELETE FROM sealing_keys");
  client.run("INSERT INTO sealing_keys (one, key) VALUES (1, 'SEALING-KEY')");
  client.run(
    "INSERT INTO browser_states (hash, kind, holder, sealed, used_at, until) VALUES ('HASH-OF-A-TOKEN', 'session', 'key:1', 'SEALED', 1, 2)",
  );
  const { file } = await backUp(dataDir, { secrets: true });
  for (const text of ["SEALING-KEY", "HASH-OF-A-TOKEN"])
    expect([text, includes(file, text)]).toEqual([text, false]);
});

test("a file is overwritten only with --force, and stays intact if the backup fails", async () => {
  const { dataDir } = await newStore();
  const file = join(temporaryDirectory(), "mine.db");
  writeFileSync(file, "mine");
  expect(await outcomeOf(backUp(dataDir, { file }))).toThrow("exists already");
  expect(
    await outcomeOf(backUp(dataDir, { file, force: true, reserve: 2 ** 60, dataDir: temporaryDirectory() })),
  ).toThrow("there is no database");
  expect([includes(file, "mine"), filesIn(join(file, ".."))]).toEqual([true, ["mine.db"]]);
  await backUp(dataDir, { file, force: true });
  expect(includes(file, "SQLite format 3")).toBe(true);
});

test("a backup never overwrites DATA_DIR's own files, or anything but an ordinary file", async () => {
  const { dataDir } = await newStore();
  const link = join(temporaryDirectory(), "link.db");
  symlinkSync(databasePath(dataDir), link);
  expect(await outcomeOf(backUp(dataDir, { file: link, force: true }))).toThrow("not an ordinary file");
  mkdirSync(join(dataDir, "blobs"));
  for (const name of [
    "adoption-store.db",
    "adoption-store.db-wal",
    "server.lock",
    "admin.key",
    "server.json",
    "blobs/b.db",
  ])
    expect(await outcomeOf(backUp(dataDir, { file: join(dataDir, name), force: true }))).toThrow(
      "choose another directory",
    );
});

test("in DATA_DIR itself the name of a backup must end with .db", async () => {
  const { dataDir } = await newStore();
  expect(await outcomeOf(backUp(dataDir, { file: join(dataDir, "mine.bak") }))).toThrow("ends with .db");
  await backUp(dataDir, { file: join(dataDir, "mine.db") });
  expect(databaseCopies(dataDir, join(dataDir, "backups"))).toEqual([join(dataDir, "mine.db")]);
});

test("the newest backups of a directory are kept, and no other file is touched", async () => {
  const { dataDir } = await newStore();
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "adoption-store.db"), "mine");
  mkdirSync(join(directory, backupName(1)));
  for (const day of [1, 2, 3, 4]) {
    const now = NOW + day * 86_400_000;
    const { removed } = await backUp(dataDir, { file: join(directory, backupName(now)), now, keep: 2 });
    expect(removed).toEqual(day > 2 ? [backupName(now - 2 * 86_400_000)] : []);
  }
  const kept = [3, 4].map((day) => backupName(NOW + day * 86_400_000));
  expect(filesIn(directory)).toEqual([backupName(1), ...kept, "adoption-store.db"]);
  const digests = readdirSync(directory).filter((name) => name.endsWith(".sha256"));
  expect(digests.toSorted()).toEqual(kept.map((name) => `${name}.sha256`));
});

const DAY = 86_400_000;
const at = (day: number) => NOW + day * DAY;

test("backups that may be another store's are neither counted nor removed, and are listed", async () => {
  const [mine, theirs] = [temporaryDirectory(), temporaryDirectory()];
  await storeIn(mine);
  await storeIn(theirs);
  const directory = temporaryDirectory();
  const take = (dataDir: string, day: number, keep?: number) =>
    backUp(dataDir, { file: join(directory, backupName(at(day))), now: at(day), keep });
  const old = new Client(join(directory, backupName(at(1))), { create: true, strict: true });
  migrate(old, migrations.slice(0, 9));
  old.close();
  await take(theirs, 2);
  const { file } = await take(mine, 3);
  truncateSync(file, statSync(file).size - 4096);
  for (const day of [4, 5]) await take(mine, day);
  const { removed, leftAlone } = await take(mine, 6, 1);
  expect(removed).toEqual([5, 4].map((day) => backupName(at(day))));
  expect(leftAlone.toSorted()).toEqual([1, 2, 3].map((day) => backupName(at(day))));
  expect(filesIn(directory)).toEqual([1, 2, 3, 6].map((day) => backupName(at(day))));
});

test("backups that may be another store's stay when a new store begins where the old one was lost", async () => {
  const directory = temporaryDirectory();
  const good = join(directory, backupName(at(0)));
  await backUp(await closedStore("Bella"), { file: good });
  for (const day of [1, 2, 3]) {
    const emptied = temporaryDirectory();
    await storeIn(emptied);
    await backUp(emptied, { file: join(directory, backupName(at(day))), now: at(day), keep: 1 });
  }
  const dataDir = temporaryDirectory();
  await restoreTo(dataDir, good);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
});

test("backups that may be another store's are those of the same store again after a restore", async () => {
  const first = await closedStore("Bella");
  const directory = temporaryDirectory();
  const { file } = await backUp(first, { file: join(directory, backupName(at(1))) });
  const second = temporaryDirectory();
  await restoreTo(second, file);
  const { removed } = await backUp(second, {
    file: join(directory, backupName(at(2))),
    now: at(2),
    keep: 1,
  });
  expect(removed).toEqual([backupName(at(1))]);
});

test("a backup writes nothing if there is no room, and the error has the required space", async () => {
  const { dataDir } = await newStore();
  const directory = temporaryDirectory();
  expect(await outcomeOf(backUp(dataDir, { file: join(directory, "b.db"), reserve: 2 ** 60 }))).toThrow(
    /has no room for the backup, which needs about \d+ MB/,
  );
  expect(filesIn(directory)).toEqual([]);
});

test("a backup writes nothing if the directory is missing", async () => {
  const { dataDir } = await newStore();
  expect(await outcomeOf(backUp(dataDir, { file: join(dataDir, "none", "b.db") }))).toThrow("does not exist");
});

test("a damaged database is not backed up, regardless of the damaged part", async () => {
  for (const damage of [
    (path: string) => truncateSync(path, statSync(path).size - 4096),
    (path: string) => writeFileSync(path, "no database at all, but long enough to be looked at".repeat(99)),
  ]) {
    const dataDir = await closedStore("Bella");
    damage(databasePath(dataDir));
    const directory = temporaryDirectory();
    expect(await outcomeOf(backUp(dataDir, { file: join(directory, "b.db") }))).toThrow(
      "cannot be backed up",
    );
    expect(filesIn(directory)).toEqual([]);
  }
});

test("a database whose rows break its constraints is not backed up", async () => {
  const { dataDir, client } = await newStore();
  client.run("PRAGMA foreign_keys=OFF");
  client.run("INSERT INTO secrets (hash, key_id, prefix, created_at) VALUES ('h', 99, 'p', 1)");
  expect(await outcomeOf(backUp(dataDir))).toThrow("a foreign key leads nowhere");
});

test("a database newer than this program, whose secrets it would not know, is not backed up", async () => {
  const { dataDir, client } = await newStore();
  client.run("INSERT INTO migrations (tag, hash, applied_at) VALUES ('9999_later', 'x', 1)");
  expect(await outcomeOf(backUp(dataDir))).toThrow("newer than this program");
});

test("a database older than this program can be backed up before it is migrated", async () => {
  const dataDir = temporaryDirectory();
  const older = new Client(databasePath(dataDir), { create: true, strict: true });
  migrate(older, migrations.slice(0, 1));
  older.close();
  const { file, sites } = await backUp(dataDir);
  expect(rowsOf(file, "SELECT tag FROM migrations")).toEqual([{ tag: "0000_store" }]);
  expect(sites).toEqual({ files: 0, bytes: 0, missing: 0 });
});

const GONE = Bun.spawnSync(["true"]).pid;

const open = async () => {
  const { dataDir } = await newStore();
  const directory = temporaryDirectory();
  return {
    directory,
    left(pid: number, age: number, ends = [""]) {
      const paths = ends.map((end) => join(directory, `.adoption-store-backup-${pid}.tmp${end}`));
      for (const path of paths) {
        writeFileSync(path, path.endsWith(".lock") ? "" : "half");
        utimesSync(path, (NOW - age) / 1000, (NOW - age) / 1000);
      }
      return paths.at(-1) ?? "";
    },
    backUp: () => backUp(dataDir, { file: join(directory, "b.db") }),
  };
};

test("a file of a killed backup is removed by the next backup", async () => {
  const { directory, left, backUp } = await open();
  left(GONE, 0, ["", "-journal", ".raw", ".raw-journal", ".lock"]);
  left(process.pid, 0, ["", ".raw", ".lock"]);
  await backUp();
  expect(filesIn(directory)).toEqual(["b.db"]);
});

test("a file of a killed backup stays while a process may work on it", async () => {
  const { directory, left, backUp } = await open();
  left(1, 60_000, ["", ".lock"]);
  const lock = shareLock(`${left(GONE, 2 * 60 * 60_000)}.lock`);
  await backUp();
  lock.release();
  expect(filesIn(directory)).toEqual(
    [1, GONE]
      .flatMap((pid) => ["", ".lock"].map((end) => `.adoption-store-backup-${pid}.tmp${end}`))
      .concat("b.db")
      .toSorted(),
  );
});

test("a file of a killed backup is removed after an hour if it is from a version that takes no lock", async () => {
  const { directory, left, backUp } = await open();
  left(1, 2 * 60 * 60_000);
  left(2, 60_000);
  await backUp();
  expect(filesIn(directory)).toEqual([".adoption-store-backup-2.tmp", "b.db"]);
});

test("a file of a killed backup of another container stays, even if its process has the same id", async () => {
  const { directory, left, backUp } = await open();
  const lock = shareLock(`${left(process.pid, 0)}.lock`);
  expect(await outcomeOf(backUp())).toThrow("another backup is being written there");
  lock.release();
  expect(filesIn(directory)).toHaveLength(2);
});
