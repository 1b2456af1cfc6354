import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { blobsIn, damagedDeploys } from "../../../src/operate/backups/site-files.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { servedFiles } from "../../../src/data/db/stored-deploys.ts";
import { tarGzOf } from "../../platform/deploys/archives.ts";
import { openProject } from "../../platform/domains/projects.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { asUser, giveToUser, isRoot } from "../../support/user.ts";
import { backUp, change, copyDatabase, includes, restoreTo, storeIn } from "./stores.ts";
import { outcomeOf } from "../../support/outcome.ts";

const LARGE = Buffer.alloc(2_500_000, "0123456789abcdef\n");

/** A DATA_DIR with a deployed site, whose largest file takes several parts. */
const deployed = async (): Promise<string> => {
  const dataDir = temporaryDirectory();
  const { store } = await openProject({ path: databasePath(dataDir), env: { DATA_DIR: dataDir } });
  const body = tarGzOf([
    { name: "index.html", content: "<h1>Our site</h1>" },
    { name: "large.txt", content: LARGE },
    { name: "empty.txt", content: "" },
  ]);
  const response = await store.call("POST", "/platform/projects/docs/deploys", {
    headers: { "content-type": "application/gzip" },
    body,
  });
  expect(response.status).toBe(201);
  return dataDir;
};

/** The response to a visitor of a restored DATA_DIR. */
const visited = async (dataDir: string, path: string): Promise<string> => {
  const store = await storeIn(dataDir);
  const response = await store.visit(`http://docs.localhost${path}`);
  return `${response.status} ${await response.text()}`;
};

const blobFiles = (dataDir: string): string[] =>
  readdirSync(join(dataDir, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test("deployed sites are in a backup, and are served after it is restored elsewhere", async () => {
  const source = await deployed();
  const { file, sites } = await backUp(source);
  expect(sites?.missing).toBe(0);
  expect(sites?.files).toBeGreaterThan(3);
  const dataDir = temporaryDirectory();
  const restored = await restoreTo(dataDir, file);
  expect(restored.sites).toMatchObject({ files: sites?.files, missing: 0 });
  for (const path of blobFiles(dataDir)) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(includes(databasePath(dataDir), "Our site")).toBe(false);
  expect(await visited(dataDir, "/")).toBe("200 <h1>Our site</h1>");
  expect(await visited(dataDir, "/large.txt")).toBe(`200 ${LARGE.toString()}`);
  expect(await visited(dataDir, "/empty.txt")).toBe("200 ");
});

test("restoring a backup without sites counts the files that are missing, and none if they are still there", async () => {
  const source = await deployed();
  const { file, sites } = await backUp(source, { sites: false });
  expect([sites, includes(file, "Our site")]).toEqual([undefined, false]);
  expect((await restoreTo(temporaryDirectory(), file)).sites.missing).toBeGreaterThan(0);
  const again = temporaryDirectory();
  await restoreTo(again, (await backUp(source)).file);
  expect((await restoreTo(again, file)).sites.missing).toBe(0);
});

test("missing and damaged files are counted and do not stop a backup, and a restore repairs them", async () => {
  const source = await deployed();
  const whole = await backUp(source);
  const copy = temporaryDirectory();
  copyDatabase(source, copy);
  await restoreTo(copy, whole.file);
  const [first = "", second = "", third = ""] = blobFiles(copy).filter((path) => statSync(path).size > 100);
  rmSync(first);
  writeFileSync(second, "damaged");
  rmSync(third);
  mkdirSync(third);
  const { sites, file } = await backUp(copy);
  expect(sites?.missing).toBeGreaterThanOrEqual(1);
  expect(includes(file, "damaged")).toBe(false);
  const shards = dirname(dirname(first));
  renameSync(shards, `${shards}.moved`);
  writeFileSync(shards, "");
  expect((await backUp(copy)).sites).toMatchObject({ files: 0, bytes: 0 });
  rmSync(shards);
  renameSync(`${shards}.moved`, shards);
  await restoreTo(copy, whole.file, Date.now());
  expect((await backUp(copy)).sites?.missing).toBe(0);
});

test.skipIf(!isRoot)(
  "site files and directories that root restores belong to the owner of DATA_DIR",
  async () => {
    const { file } = await backUp(await deployed());
    const dataDir = temporaryDirectory();
    giveToUser(dataDir);
    await restoreTo(dataDir, file);
    const { uid } = statSync(dataDir);
    const all = readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)));
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter((path) => statSync(path).uid !== uid)).toEqual([]);
  },
);

test.skipIf(!isRoot)(
  "a backup that root takes to DATA_DIR belongs to its owner, and one elsewhere to root",
  async () => {
    const dataDir = await deployed();
    giveToUser(dataDir);
    const [inside, elsewhere] = [
      await backUp(dataDir, { file: join(dataDir, "b.db") }),
      await backUp(dataDir),
    ];
    expect(statSync(inside.file).uid).toBe(statSync(dataDir).uid);
    expect(statSync(elsewhere.file).uid).toBe(0);
  },
);

/** Changes one byte of the largest blob, but not its size. */
const flipLargest = (dataDir: string): (() => void) => {
  const path = blobFiles(dataDir).toSorted((a, b) => statSync(b).size - statSync(a).size)[0] ?? "";
  const good = readFileSync(path);
  const bad = Buffer.from(good);
  bad[bad.length >> 1] = (bad[bad.length >> 1] ?? 0) ^ 1;
  writeFileSync(path, bad);
  return () => writeFileSync(path, good);
};

test("a backup that lacks a damaged file does not replace one that may have it", async () => {
  const source = await deployed();
  const directory = temporaryDirectory();
  const take = (day: number) => {
    const now = Date.UTC(2026, 10, day, 3);
    const name = `adoption-store-202611${day}T030000.000Z.db`;
    return backUp(source, { file: join(directory, name), now, keep: 1 });
  };
  const whole = await take(20);
  const repair = flipLargest(source);
  for (const day of [21, 22]) {
    const { sites, removed } = await take(day);
    expect([sites?.missing, removed]).toEqual([1, []]);
  }
  expect(existsSync(whole.file)).toBe(true);
  const restored = temporaryDirectory();
  await restoreTo(restored, whole.file);
  expect(await visited(restored, "/large.txt")).toBe(`200 ${LARGE.toString()}`);
  repair();
  expect((await take(23)).removed.length).toBe(3);
});

test("deploys that need a damaged file are named", async () => {
  const source = await deployed();
  const store = await storeIn(source);
  const look = () => damagedDeploys({ blobs: blobsIn(source) }, servedFiles(store.database.client));
  const { files } = await look();
  expect(await look()).toEqual({ files, damaged: 0, deploys: [] });
  flipLargest(source);
  expect(await look()).toEqual({ files, damaged: 1, deploys: ["docs 2"] });
});

const SPELLED = "0".repeat(64);

test.each([
  [
    "a manifest whose name leads out of the store",
    "UPDATE deploys SET manifest = '../../dev/zero'",
    "the name of a manifest is not a hash",
  ],
  [
    "one that only begins like a hash",
    `UPDATE deploys SET manifest = '${SPELLED}/../../../../etc/passwd'`,
    "the name of a manifest is not a hash",
  ],
  [
    "one that hides its end from SQL",
    `UPDATE deploys SET manifest = '${SPELLED}' || char(0) || '/../x'`,
    "the name of a manifest is not a hash",
  ],
  [
    "a file whose name leads out of the store",
    "UPDATE backup_files SET hash = '../../x' WHERE hash = (SELECT min(hash) FROM backup_files)",
    "the name of a site's file is not a hash",
  ],
  [
    "a file whose name is too long",
    `UPDATE backup_files SET hash = hash || 'a'`,
    "the name of a site's file is not a hash",
  ],
  [
    "a part that is too large for memory",
    "UPDATE backup_files SET content = zeroblob(17 << 20) WHERE part = 0",
    "is too large",
  ],
])(
  "a hostile backup with %s is refused before any file is opened or written",
  async (_name, change, says) => {
    const { file } = await backUp(await deployed());
    const client = new Client(file);
    client.run(change);
    client.close();
    const dataDir = temporaryDirectory();
    expect(await outcomeOf(restoreTo(dataDir, file))).toThrow(says);
    expect(readdirSync(dataDir)).toEqual(["server.lock"]);
  },
);

test("no file of a backup is stored whose content does not match its name", async () => {
  const { file } = await backUp(await deployed());
  change(file, "UPDATE backup_files SET content = x'00' WHERE hash = (SELECT max(hash) FROM backup_files)");
  const dataDir = temporaryDirectory();
  const missing = join(dataDir, "missing");
  for (const target of [dataDir, missing])
    expect(await outcomeOf(restoreTo(target, file))).toThrow("of a site does not match its name");
  expect(readdirSync(dataDir)).toEqual([]);
  mkdirSync(join(dataDir, "blobs"));
  expect(await outcomeOf(restoreTo(dataDir, file))).toThrow("of a site does not match its name");
  expect(readdirSync(join(dataDir, "blobs"), { recursive: true })).toEqual(["tmp"]);
});

test("no backup can be taken from a database whose manifest has a name that is not a hash", async () => {
  const source = await deployed();
  change(databasePath(source), "UPDATE deploys SET manifest = '../../dev/zero'");
  expect(await outcomeOf(backUp(source))).toThrow("the name of a manifest is not a hash");
});

test.skipIf(!isRoot)(
  "a backup by a user who cannot read the files of sites names them, not its directory",
  async () => {
    const dataDir = await deployed();
    const shelf = temporaryDirectory();
    giveToUser(dataDir, databasePath(dataDir), shelf);
    for (const end of ["-wal", "-shm"])
      if (existsSync(databasePath(dataDir) + end)) giveToUser(databasePath(dataDir) + end);
    chmodSync(join(dataDir, "blobs"), 0o000);
    const options = {
      dataDir,
      file: join(shelf, "b.db"),
      force: false,
      secrets: false,
      sites: true,
      reserve: 0,
      now: 1,
    };
    const message = await asUser(
      { "operate/backups/backup.ts": "takeBackup" },
      `await takeBackup({ ...${JSON.stringify(options)}, onProgress() {} }).catch((error) => console.log(error.message));`,
    );
    expect(message).toStartWith(join(dataDir, "blobs"));
    expect(message).toContain("cannot be read (EACCES)");
  },
);
