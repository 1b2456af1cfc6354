import { expect, test } from "bun:test";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { assertDatabase } from "../../../src/data/data-dir/checks.ts";
import { lockForServer } from "../../../src/data/data-dir/lock.ts";
import { databasePath, lockPath } from "../../../src/data/data-dir/paths.ts";
import { takeLock } from "../../../src/data/db/file-lock.ts";
import { markReplica } from "../../../src/data/db/replica-mark.ts";
import { openExisting } from "../../../src/data/db/snapshot.ts";
import { recoverInto, repairDatabase } from "../../../src/operate/backups/recover.ts";
import { PAGE, placesIn, rootOf, zeroPage } from "../../data/recovery/damage.ts";
import { openProject } from "../../platform/domains/projects.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { seeded } from "../../support/random.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { FIRST } from "../../support/cluster.ts";
import { NOW, change, closedStore, copyDatabase, namesIn, storeIn } from "./stores.ts";

const silent = () => {};

const damage = (dataDir: string, name: string): Buffer => {
  const path = databasePath(dataDir);
  const bytes = readFileSync(path);
  zeroPage(rootOf(path, name))(bytes);
  writeFileSync(path, bytes);
  return bytes;
};

const eventsIn = async (dataDir: string): Promise<number> => {
  using client = openExisting(databasePath(dataDir), { readonly: true });
  return client.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'pet_events'").get()
    ?.seq as number;
};

const repair = (dataDir: string) => repairDatabase(dataDir, NOW, silent);
const recover = (dataDir: string, target: string) => recoverInto(dataDir, target, NOW, silent);

test("a repair keeps the damaged file and its log under another name, for this user only", async () => {
  const running = temporaryDirectory();
  const store = await storeIn(running);
  await store.call("POST", "/v1/pets", { json: { name: "Max", categoryId: 1 } });
  store.database.client.run("DELETE FROM pet_counts_by_category");
  // As after kill -9: the animal is only in the log.
  const dataDir = temporaryDirectory();
  copyDatabase(running, dataDir);
  const log = readFileSync(`${databasePath(dataDir)}-wal`);
  const { aside } = await repair(dataDir);
  expect(aside).toBe(`${databasePath(dataDir)}.damaged-20261120T030000.000Z`);
  expect(readFileSync(`${aside}-wal`).equals(log)).toBe(true);
  expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600);
  expect(await namesIn(dataDir)).toEqual(["Max"]);
  expect(await eventsIn(dataDir)).toBe(1);
});

test("a repair that was interrupted is refused by a start, and run again it loses nothing", async () => {
  const running = temporaryDirectory();
  const store = await storeIn(running);
  await store.call("POST", "/v1/pets", { json: { name: "Max", categoryId: 1 } });
  for (const ends of [[""], ["", "-wal"]]) {
    const dataDir = temporaryDirectory();
    copyDatabase(running, dataDir);
    const path = databasePath(dataDir);
    for (const end of ends) renameSync(path + end, `${path}.repairing${end}`);
    expect(() => assertDatabase(dataDir, { create: true })).toThrow(
      `DATA_DIR ${dataDir}: a repair was interrupted. Run adoption-store doctor --repair again`,
    );
    await repair(dataDir);
    expect(await namesIn(dataDir)).toEqual(["Max"]);
    expect(existsSync(`${path}.repairing`)).toBe(false);
  }
});

test("a repair keeps the damaged file of a repair that was interrupted at its end", async () => {
  const dataDir = await closedStore("Bella");
  writeFileSync(`${databasePath(dataDir)}.repairing`, "damaged");
  await repair(dataDir);
  const kept = readdirSync(dataDir).filter((name) => name.includes(".damaged-"));
  expect(kept.map((name) => statSync(join(dataDir, name)).size)).toEqual(["damaged".length]);
});

test("a repair of a store with a damaged row changes nothing", async () => {
  const dataDir = await closedStore("Bella");
  const bytes = damage(dataDir, "pets");
  const files = readdirSync(dataDir);
  expect(await outcomeOf(repair(dataDir))).toThrow(
    "rows of pets are damaged, so nothing was changed: run adoption-store recover",
  );
  expect(readFileSync(databasePath(dataDir)).equals(bytes)).toBe(true);
  expect(readdirSync(dataDir).toSorted()).toEqual([...files, "server.lock"].toSorted());
});

test("a repair that would give a row another id changes nothing", async () => {
  const dataDir = await closedStore("Bella");
  const path = databasePath(dataDir);
  const { page, start } = placesIn(path).get("pets 1") ?? { page: 0, start: 0 };
  const bytes = readFileSync(path);
  // The id follows the length of the row.
  bytes[(page - 1) * PAGE + start + 1] = 33;
  writeFileSync(path, bytes);
  expect(await outcomeOf(repair(dataDir))).toThrow("rows of pets are damaged, so nothing was changed");
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("a repair of a replica is refused", async () => {
  const dataDir = await closedStore("Bella");
  {
    using client = openExisting(databasePath(dataDir));
    markReplica(client, FIRST);
  }
  expect(await outcomeOf(repair(dataDir))).toThrow("is a replica of a cluster: move it away");
});

test("a recovery copies the files of sites, the keys and the settings, and events of lost animals are not continued", async () => {
  const dataDir = temporaryDirectory();
  const { store } = await openProject({ path: databasePath(dataDir), env: { DATA_DIR: dataDir } });
  await store.call("POST", "/v1/pets", { json: { name: "Max", categoryId: 1 } });
  await store.database.close();
  writeFileSync(join(dataDir, "admin.key"), "secret", { mode: 0o600 });
  writeFileSync(join(dataDir, "adoption-store.toml"), "port = 3001", { mode: 0o600 });
  damage(dataDir, "pets");
  const target = join(temporaryDirectory(), "recovered");
  const { report, sites } = await recover(dataDir, target);
  expect(sites).toMatchObject({ files: 2, missing: 0 });
  const of = (name: string) => report.tables.find(({ table }) => table === name);
  expect(of("pets")?.missing).toEqual([{ from: 1, to: 1 }]);
  // Their only event is readable, but not saved.
  expect(of("pet_events")).toMatchObject({ saved: 0, missing: [{ from: 1, to: 1 }] });
  expect(statSync(join(target, "admin.key")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(target, "adoption-store.toml"), "utf8")).toBe("port = 3001");
  expect(await eventsIn(target)).toBeGreaterThan(NOW);
  const recovered = await storeIn(target);
  expect(await (await recovered.visit("http://docs.localhost/")).text()).toBe("<h1>Docs</h1>");
});

test("a recovery of a file without a readable row fails and advises a backup", async () => {
  const dataDir = temporaryDirectory();
  const random = seeded(4);
  writeFileSync(
    databasePath(dataDir),
    Uint8Array.from({ length: 300_000 }, () => random(256)),
  );
  const target = join(temporaryDirectory(), "recovered");
  expect(await outcomeOf(recover(dataDir, target))).toThrow(
    "no row is readable: restore a backup with adoption-store restore FILE",
  );
  expect(readdirSync(target)).toEqual([]);
});

test("a recovery refuses a running server, a directory in DATA_DIR and one with files", async () => {
  const dataDir = await closedStore("Bella");
  const full = temporaryDirectory();
  writeFileSync(join(full, "file"), "kept");
  expect(await outcomeOf(recover(dataDir, full))).toThrow("is not empty: name a new directory");
  expect(await outcomeOf(recover(dataDir, join(dataDir, "below")))).toThrow(
    "is in DATA_DIR: name another directory",
  );
  const lock = takeLock(lockPath(dataDir));
  expect(await outcomeOf(recover(dataDir, join(full, "new")))).toThrow(
    "a server is using it: stop that server",
  );
  lock?.release();
});

test("no server starts on the damaged store while a recovery reads it", async () => {
  const dataDir = await closedStore("Bella");
  const starts: string[] = [];
  await recoverInto(dataDir, join(temporaryDirectory(), "new"), NOW, () => {
    try {
      lockForServer(dataDir).release();
      starts.push("started");
    } catch (error) {
      starts.push((error as Error).message);
    }
  });
  expect(starts.length).toBeGreaterThan(2);
  for (const start of starts) expect(start).toContain("a backup is being restored: try again");
  expect(readdirSync(dataDir).toSorted()).toEqual(["adoption-store.db", "server.lock"]);
});

test("a recovery leaves a damaged database and its log as they are, even without server.lock", async () => {
  const running = temporaryDirectory();
  const store = await storeIn(running);
  await store.call("POST", "/v1/pets", { json: { name: "Max", categoryId: 1 } });
  const dataDir = temporaryDirectory();
  copyDatabase(running, dataDir);
  // A server ran here.
  writeFileSync(join(dataDir, "server.json"), "{}");
  damage(dataDir, "pets");
  const files = () =>
    ["", "-wal"].map((end) => Bun.SHA256.hash(readFileSync(databasePath(dataDir) + end), "hex"));
  const before = files();
  await recover(dataDir, join(temporaryDirectory(), "new"));
  expect(files()).toEqual(before);
});

test("a recovery that was interrupted is refused by a start, and run again it saves the store", async () => {
  const dataDir = await closedStore("Bella");
  const target = join(temporaryDirectory(), "new");
  const interrupted = temporaryDirectory();
  let isCopied = false;
  await recoverInto(dataDir, target, NOW, () => {
    if (!isCopied) cpSync(target, interrupted, { recursive: true });
    isCopied ||= existsSync(`${databasePath(interrupted)}.restoring`);
  });
  expect(existsSync(join(target, "adoption-store.db.recovering"))).toBe(false);
  lockForServer(interrupted).release();
  expect(() => assertDatabase(interrupted, { create: true })).toThrow(
    `DATA_DIR ${interrupted}: recover was interrupted here, and the store is not complete. Run adoption-store recover again with this directory`,
  );
  writeFileSync(join(interrupted, "photo.jpg"), "kept");
  expect(await outcomeOf(recover(dataDir, interrupted))).toThrow("is not empty: name a new directory");
  rmSync(join(interrupted, "photo.jpg"));
  await recover(dataDir, interrupted);
  expect(await namesIn(interrupted)).toEqual(["Bella"]);
  expect(readdirSync(interrupted).toSorted()).toEqual(["adoption-store.db", "server.lock"]);
  expect(await outcomeOf(recover(dataDir, interrupted))).toThrow("is not empty: name a new directory");
});

test("a directory below a symbolic link to DATA_DIR is in DATA_DIR", async () => {
  const dataDir = await closedStore("Bella");
  const link = join(temporaryDirectory(), "link");
  symlinkSync(dataDir, link);
  expect(await outcomeOf(recover(link, join(dataDir, "new")))).toThrow("is in DATA_DIR");
  expect(await outcomeOf(recover(dataDir, join(link, "new")))).toThrow("is in DATA_DIR");
});

test.if(process.geteuid?.() === 0)(
  "a store that root recovers belongs to the owner of DATA_DIR",
  async () => {
    const dataDir = await closedStore("Bella");
    chownSync(dataDir, 4711, 4712);
    writeFileSync(join(dataDir, "admin.key"), "secret", { mode: 0o600 });
    const target = join(temporaryDirectory(), "new");
    await recover(dataDir, target);
    for (const name of [".", ...readdirSync(target)])
      expect(statSync(join(target, name))).toMatchObject({ uid: 4711, gid: 4712 });
  },
);

test("a repair and a recovery refuse a database that another process has open, and leave its log", async () => {
  const running = temporaryDirectory();
  await storeIn(running);
  const holder = Bun.spawn(
    [
      process.execPath,
      "-e",
      `const client = new (require("bun:sqlite").Database)(${JSON.stringify(databasePath(running))});
      client.query("SELECT count(*) FROM pets").get(); console.log("open"); setInterval(() => {}, 1000);`,
    ],
    { stdout: "pipe" },
  );
  await holder.stdout.getReader().read();
  try {
    const message = `process ${holder.pid} (${basename(process.execPath)}) is using it: end that process`;
    expect(await outcomeOf(repair(running))).toThrow(message);
    expect(await outcomeOf(recover(running, join(temporaryDirectory(), "new")))).toThrow(message);
  } finally {
    holder.kill();
    await holder.exited;
  }
});

test("a recovery that fails leaves the new directory empty", async () => {
  const dataDir = await closedStore("Bella");
  change(
    databasePath(dataDir),
    "INSERT INTO migrations (tag, hash, applied_at) VALUES ('9999_later', '', 0)",
  );
  const target = temporaryDirectory();
  mkdirSync(target, { recursive: true });
  expect(await outcomeOf(recover(dataDir, target))).toThrow("newer than this program");
  expect(readdirSync(target)).toEqual([]);
});
