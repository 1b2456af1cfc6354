import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkBackup } from "../../../src/operate/backups/check.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { tarGzOf } from "../../platform/deploys/archives.ts";
import { openProject } from "../../platform/domains/projects.ts";
import { seeded } from "../../support/random.ts";
import { outcomeOf } from "../../support/outcome.ts";
import { addPet, temporaryDirectory } from "../../support/store.ts";
import { backUp, change, closedStore, forget, namesIn, NOW, restoreTo, storeIn } from "./stores.ts";
import { database } from "../../../src/cli/doctor.ts";
import { readConfig } from "../../../src/config/config.ts";
import { lastEventId, removeSecrets } from "../../../src/data/db/backup-contents.ts";
import { openIssuing } from "../../platform/certificates/issuing.ts";
import { makeEmbedded } from "../../../src/data/cluster/membership.ts";
import { prepareRestore } from "../../../src/operate/backups/restore.ts";
import { markReplica } from "../../../src/data/db/replica-mark.ts";
import { inspect, markAt } from "../../support/replica-file.ts";

const check = (file: string) => checkBackup(file, () => {});

const deployed = async (): Promise<string> => {
  const dataDir = temporaryDirectory();
  const { store } = await openProject({ path: databasePath(dataDir), env: { DATA_DIR: dataDir } });
  const body = tarGzOf([{ name: "index.html", content: "<h1>Our site</h1>" }]);
  const headers = { "content-type": "application/gzip" };
  expect((await store.call("POST", "/platform/projects/docs/deploys", { headers, body })).status).toBe(201);
  return dataDir;
};

test("checking a backup reports its contents, and changes neither the backup nor a file next to it", async () => {
  const { file, bytes, sha256, sites } = await backUp(await deployed());
  const before = [readFileSync(file), statSync(file), readdirSync(join(file, ".."))];
  expect(check(file)).toEqual({
    file,
    bytes,
    sha256,
    unreadableDigest: undefined,
    store: expect.stringMatching(/^[\da-f-]{36}$/),
    migration: expect.stringMatching(/^\d{4}_/),
    secrets: false,
    differences: [],
    sites,
  });
  const { atimeMs: _, atime: __, ...stat } = statSync(file);
  expect(before).toEqual([readFileSync(file), expect.objectContaining(stat), readdirSync(join(file, ".."))]);
});

test("checking a backup without sites reports that they are missing", async () => {
  expect(check((await backUp(await deployed(), { sites: false })).file).sites).toBeUndefined();
});

test("a backup is refused if a file of a site does not match its name", async () => {
  const { file } = await backUp(await deployed());
  change(file, "UPDATE backup_files SET content = x'00' WHERE part = 0 AND length(content) = 17");
  expect(() => check(file)).toThrow(
    /cannot be restored: it is damaged \(file "[\da-f]{64}" of a site does not match its name/,
  );
});

test("a backup is refused if it is missing or not a database of this program", async () => {
  const file = join(temporaryDirectory(), "b.db");
  expect(() => check(file)).toThrow("does not exist");
  writeFileSync(file, "text that is long enough to be looked at".repeat(50));
  expect(() => check(file)).toThrow("cannot be restored: it is damaged, or not a database");
  new Client(`${file}.empty`, { create: true }).run("CREATE TABLE notes (text TEXT)");
  expect(() => check(`${file}.empty`)).toThrow("it is not a database of adoption-store");
});

test("a file that a deploy needs and that is not in the backup is counted as missing", async () => {
  const { file, sites } = await backUp(await deployed());
  change(file, "DELETE FROM backup_files WHERE length(content) = 17");
  expect(check(file).sites).toMatchObject({ files: (sites?.files ?? 0) - 1, missing: 1 });
});

const flipBit = (bytes: Uint8Array, place: number, bit: number): Buffer => {
  const flipped = Buffer.from(bytes);
  flipped[place] = (flipped[place] ?? 0) ^ (1 << bit);
  return flipped;
};

/** Moves a backup to a new directory, without the digest next to it. */
const copied = (bytes: Uint8Array): string => {
  const file = join(temporaryDirectory(), "copy.db");
  writeFileSync(file, bytes);
  return file;
};

test("each of 60 flipped bits is found by the check and refused by the restore, by the digest inside the backup alone", async () => {
  const random = seeded(23);
  const whole = readFileSync((await backUp(await closedStore("Bella"))).file);
  const target = temporaryDirectory();
  for (let flip = 0; flip < 60; flip++) {
    const flipped = copied(flipBit(whole, random(whole.length), random(8)));
    expect(() => check(flipped)).toThrow(/cannot be (restored|checked): /);
    const outcome = await outcomeOf(restoreTo(target, flipped));
    expect(outcome).toThrow("cannot be restored");
  }
}, 60_000);

test("a changed letter of a name is refused with the digest that differs, and restored with --force", async () => {
  const whole = readFileSync((await backUp(await closedStore("Bella"))).file);
  const altered = copied(flipBit(whole, whole.indexOf("Bella"), 1));
  const reason = "its SHA-256 does not match the one inside: the backup has changed since it was taken";
  expect(() => check(altered)).toThrow(`${altered} cannot be restored: ${reason}`);
  const target = temporaryDirectory();
  expect(() => prepareRestore(target, altered, NOW, { forget })).toThrow(/use restore --force$/);
  const forced = prepareRestore(target, altered, NOW, { force: true, forget });
  await forced.run(() => {});
  forced.close();
  expect(await namesIn(target)).toEqual(["@ella"]);
});

test("the digest next to a backup has the format of sha256sum, and both digests are compared", async () => {
  const { file, sha256 } = await backUp(await closedStore("Bella"));
  const beside = `${file}.sha256`;
  const whole = readFileSync(file);
  expect(readFileSync(beside, "utf8")).toBe(`${sha256}  backup.db\n`);
  expect(statSync(beside).mode & 0o777).toBe(0o600);
  expect(Bun.SHA256.hash(whole, "hex")).toBe(sha256);
  writeFileSync(file, flipBit(whole, whole.indexOf("Bella"), 0));
  expect(() => check(file)).toThrow(
    `its SHA-256 does not match the one inside, and its SHA-256 is not that in ${beside}: the backup has changed`,
  );
  writeFileSync(file, whole);
  writeFileSync(beside, `${"0".repeat(64)}  backup.db\n`);
  expect(() => check(file)).toThrow(
    `cannot be restored: its SHA-256 is not that in ${beside}: the backup has changed`,
  );
  writeFileSync(beside, `${sha256.toUpperCase()} *backup.db\r\n`);
  expect(check(file)).toMatchObject({ sha256, unreadableDigest: undefined });
});

test("a file next to a backup that has no SHA-256 is named, and the digest inside counts", async () => {
  const { file, sha256 } = await backUp(await closedStore("Bella"));
  const beside = `${file}.sha256`;
  const makers = [
    () => writeFileSync(beside, ""),
    () => writeFileSync(beside, `\uFEFF${sha256}  backup.db\n`),
    () => writeFileSync(beside, `${sha256}0  backup.db\n`),
    () => writeFileSync(beside, Buffer.alloc(2 ** 21, 255)),
    () => mkdirSync(beside),
    () => expect(Bun.spawnSync(["mkfifo", beside]).exitCode).toBe(0),
    () => symlinkSync("/nowhere", beside),
  ];
  for (const make of makers) {
    rmSync(beside, { recursive: true, force: true });
    make();
    expect(check(file)).toMatchObject({ sha256, unreadableDigest: beside });
    const restore = prepareRestore(temporaryDirectory(), file, NOW, { forget });
    expect(restore).toMatchObject({ hasDigest: true, unreadableDigest: beside });
    restore.close();
  }
  const whole = readFileSync(file);
  writeFileSync(file, flipBit(whole, whole.indexOf("Bella"), 0));
  expect(() => check(file)).toThrow("its SHA-256 does not match the one inside: the backup has changed");
});

test("a backup of an older version with a damaged file next to it has no digest", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  change(file, "SELECT 1");
  writeFileSync(`${file}.sha256`, "");
  expect(check(file)).toMatchObject({ sha256: undefined, unreadableDigest: `${file}.sha256` });
});

test("a backup without a digest is accepted, and the result shows that it has none", async () => {
  const { file } = await backUp(await closedStore("Bella"));
  change(file, "SELECT 1");
  expect(check(file).sha256).toBeUndefined();
  const restore = prepareRestore(temporaryDirectory(), file, NOW, { forget });
  expect(restore.hasDigest).toBe(false);
  restore.close();
});

test("a restored store has no digest of its backup, and its next backup has a new one", async () => {
  const dataDir = temporaryDirectory();
  const first = await backUp(await closedStore("Bella"));
  await restoreTo(dataDir, first.file);
  expect((await outcomeOf(backUp(dataDir)))().sha256).not.toBe(first.sha256);
});

const FLIPS = Number(process.env["FLIPS"] ?? 60);

/** A DATA_DIR that no process has open, whose indexes are as large as its tables. */
const source = async (): Promise<string> => {
  const made = temporaryDirectory();
  const store = await storeIn(made);
  for (let at = 0; at < 300; at++)
    await addPet(store, { name: `Animal ${at} of the shelter`, categoryId: at % 9 });
  await store.database.close();
  return made;
};

const doctor = async (dataDir: string, quick = false): Promise<string> => {
  const config = readConfig({ flags: {}, env: { DATA_DIR: dataDir }, isTerminal: false });
  try {
    const found = await database(config, { quick });
    return typeof found === "string" ? found : found.warning;
  } catch (error) {
    return `FAILED ${String(error)}`;
  }
};

test(`doctor never calls a database intact that backup refuses, over ${FLIPS} flipped bits`, async () => {
  const random = seeded(23);
  const from = await source();
  const whole = readFileSync(databasePath(from));
  const wrong: string[] = [];
  let refused = 0;
  for (let flip = 0; flip < FLIPS; flip++) {
    const dataDir = temporaryDirectory();
    const bytes = Buffer.from(whole);
    const place = random(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
    writeFileSync(databasePath(dataDir), bytes, { mode: 0o600 });
    const said = await doctor(dataDir);
    const reason = await backUp(dataDir).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (reason !== undefined) refused++;
    if (reason !== undefined && !said.startsWith("FAILED")) wrong.push(`byte ${place}: ${said}; ${reason}`);
  }
  expect(wrong).toEqual([]);
  // Without a refusal, the test would show nothing.
  expect(refused).toBeGreaterThan(5);
}, 60_000);

test("a server without its private keys, as after a restore, orders new certificates by itself", async () => {
  const { store, verified, pass, stageOf, certificates } = await openIssuing();
  await verified("docs.example.test");
  await pass();
  const before = await certificates.find("docs.example.test");
  expect(await stageOf("docs.example.test")).toBe("live");
  removeSecrets(store.database.client);
  expect((await certificates.find("docs.example.test"))?.issued).toBeUndefined();
  await pass();
  const after = await certificates.find("docs.example.test");
  expect(after?.issued?.key).toContain("PRIVATE KEY");
  expect(after?.issued?.key).not.toBe(before?.issued?.key);
  expect(await stageOf("docs.example.test")).toBe("live");
});

const MARK = { log: "9b1d", position: 41, id: "a", checksum: "c" };

/** A DATA_DIR whose database is a replica. */
const closedReplica = async (name: string): Promise<string> => {
  const dataDir = await closedStore(name);
  inspect(databasePath(dataDir), (client) => markReplica(client, MARK));
  return dataDir;
};

test("a backup of a replica is an embedded database with its position in the log", async () => {
  const { file } = await backUp(await closedReplica("Bella"));
  expect(markAt(file)).toBeUndefined();
  expect(checkBackup(file, () => {}).origin).toEqual({ log: "9b1d", position: 41 });
});

test("a backup of a replica is restored as an embedded store, whose event ids continue to rise", async () => {
  const { file } = await backUp(await closedReplica("Bella"));
  const dataDir = temporaryDirectory();
  await restoreTo(dataDir, file);
  expect(await namesIn(dataDir)).toEqual(["Bella"]);
  const tables = inspect(databasePath(dataDir), (client) =>
    client.query("SELECT name FROM sqlite_schema WHERE name IN ('replica', 'backup_origin')").values(),
  );
  expect(tables).toEqual([]);
  expect(inspect(databasePath(dataDir), lastEventId)).toBeGreaterThan(NOW);
});

test("a restore over a replica is refused, and the error explains how a cluster returns to a backup", async () => {
  const { file } = await backUp(await closedStore("Max"));
  const dataDir = await closedReplica("Bella");
  expect(() => prepareRestore(dataDir, file, NOW, { forget })).toThrow("cluster join --replace");
  expect(markAt(databasePath(dataDir))).toEqual(MARK);
  // It holds no lock.
  makeEmbedded(databasePath(dataDir));
  await restoreTo(dataDir, file);
  expect(await namesIn(dataDir)).toEqual(["Max"]);
});

test("derived data that differs from its rows is reported by a check and by a restore, which both accept the backup", async () => {
  const dataDir = await closedStore("Bella");
  change(databasePath(dataDir), "DELETE FROM pet_counts_by_category");
  const { file } = await backUp(dataDir);
  const differences = [{ of: "category counts", count: 1 }];
  expect(check(file).differences).toEqual(differences as never);
  expect((await restoreTo(temporaryDirectory(), file)).differences).toEqual(differences as never);
});
