import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkBackup } from "../../../src/operate/backups/check.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { tarGzOf } from "../../platform/deploys/archives.ts";
import { openProject } from "../../platform/domains/projects.ts";
import { seeded } from "../../support/random.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { backUp, closedStore, restoreTo } from "./stores.ts";

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
  const { file, bytes, sites } = await backUp(await deployed());
  const before = [readFileSync(file), statSync(file), readdirSync(join(file, ".."))];
  expect(check(file)).toEqual({
    file,
    bytes,
    store: expect.stringMatching(/^[\da-f-]{36}$/),
    migration: expect.stringMatching(/^\d{4}_/),
    secrets: false,
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
  const client = new Client(file);
  client.run("UPDATE backup_files SET content = x'00' WHERE part = 0 AND length(content) = 17");
  client.close();
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
  const client = new Client(file);
  client.run("DELETE FROM backup_files WHERE length(content) = 17");
  client.close();
  expect(check(file).sites).toMatchObject({ files: (sites?.files ?? 0) - 1, missing: 1 });
});

test("over 60 flipped bits, the check accepts no backup that a restore refuses", async () => {
  const random = seeded(23);
  const { file } = await backUp(await closedStore("Bella"));
  const whole = readFileSync(file);
  let refused = 0;
  for (let flip = 0; flip < 60; flip++) {
    const bytes = Buffer.from(whole);
    const place = random(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
    const flipped = join(temporaryDirectory(), "flipped.db");
    writeFileSync(flipped, bytes);
    const reason = await restoreTo(temporaryDirectory(), flipped).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (reason === undefined) continue;
    refused++;
    expect(() => check(flipped)).toThrow("cannot be restored");
  }
  expect(refused).toBeGreaterThan(0);
}, 60_000);
