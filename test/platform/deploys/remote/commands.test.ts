import { expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import {
  fetchSiteFiles,
  siteStorage,
  uploadSiteFiles,
} from "../../../../src/operate/backups/site-storage.ts";
import { takeBackup } from "../../../../src/operate/backups/backup.ts";
import { checkBackup } from "../../../../src/operate/backups/check.ts";
import { forget } from "../../../operate/backups/stores.ts";
import { prepareRestore } from "../../../../src/operate/backups/restore.ts";
import { systemRuntime } from "../../../../src/data/context.ts";
import { serverBackups } from "../../../../src/operate/backups/schedule.ts";
import { childEnvironment } from "../../../../src/config/shared-settings.ts";
import { readConfig } from "../../../../src/config/config.ts";
import { outcomeOf } from "../../../support/outcome.ts";
import { bundledProgram } from "../../../support/program.ts";
import { temporaryDirectory } from "../../../support/store.ts";
import { inProcess } from "../../../cli/program.ts";
import {
  FILES,
  addProject,
  deploy,
  hashOf,
  localHashes,
  objectOf,
  openNodes,
  remoteHashes,
  rootOf,
  visit,
} from "./nodes.ts";

/** A DATA_DIR with a database and a deploy whose files are in the object store alone. */
const openEmptyCache = async () => {
  const nodes = openNodes();
  const dataDir = temporaryDirectory();
  const path = join(dataDir, "adoption-store.db");
  const store = await nodes.node({ dataDir, path });
  await addProject(store);
  await deploy(store);
  const hashes = localHashes(store);
  rmSync(rootOf(store), { recursive: true });
  const config = readConfig({
    flags: {},
    env: { DATA_DIR: dataDir, BLOBS_URL: nodes.server.url },
    isTerminal: false,
  });
  return { ...nodes, store, dataDir, path, hashes, config };
};

const backUp = async ({ config, dataDir }: Awaited<ReturnType<typeof openEmptyCache>>) => {
  const file = join(temporaryDirectory(), "backup.db");
  await takeBackup({
    dataDir,
    file,
    force: false,
    secrets: false,
    sites: true,
    storage: siteStorage(config),
    reserve: 0,
    now: Date.now(),
    onProgress: () => {},
  });
  return file;
};

test("a backup has the files that only the object store has", async () => {
  const place = await openEmptyCache();
  const file = await backUp(place);
  expect(checkBackup(file, () => {}).sites).toMatchObject({ files: 4, missing: 0 });
});

test("a scheduled backup has them too when BLOBS_URL is a flag of the server", async () => {
  const { config } = await openEmptyCache();
  const backupDir = temporaryDirectory();
  const settings = { ...config, backupDir, backupSchedule: 60_000, diskReserve: 0 };
  const env = childEnvironment(config, { PATH: process.env["PATH"] });
  const context = { config: settings, ...systemRuntime, log: pino({ level: "silent" }) };
  const backups = serverBackups(context, undefined, { program: await bundledProgram(), env });
  await backups?.tick();
  const [file = ""] = readdirSync(backupDir).toSorted();
  expect(checkBackup(join(backupDir, file), () => {}).sites).toMatchObject({ files: 4, missing: 0 });
}, 60_000);

test("a backup that cannot fetch them is refused with advice", async () => {
  const place = await openEmptyCache();
  place.server.intercept(() => place.server.error(403, "AccessDenied"));
  expect(await outcomeOf(backUp(place))).toThrow(/object store of BLOBS_URL.*--no-sites/);
});

test("a restore puts the files into the object store before the database refers to them", async () => {
  const place = await openEmptyCache();
  const file = await backUp(place);
  place.server.objects.clear();
  const dataDir = temporaryDirectory();
  const restore = () => {
    const prepared = prepareRestore(dataDir, file, Date.now(), {
      storage: siteStorage({ ...place.config, dataDir }),
      forget,
    });
    return prepared.run(() => {}).finally(prepared.close);
  };
  place.server.intercept((method) =>
    method === "PUT" ? place.server.error(403, "AccessDenied") : undefined,
  );
  expect(await outcomeOf(restore())).toThrow("403 AccessDenied");
  expect(await Bun.file(join(dataDir, "adoption-store.db")).exists()).toBe(false);
  place.server.intercept(() => undefined);
  expect((await restore()).sites).toMatchObject({ files: 4, missing: 0 });
  expect(remoteHashes(place.server)).toEqual(place.hashes);
  const other = await place.node({ path: join(dataDir, "adoption-store.db") });
  expect(await (await visit(other, "/")).text()).toBe("<h1>home</h1>");
});

test("a store that joins a cluster uploads its files, and one that leaves has all of them", async () => {
  const { config, server, store, hashes } = await openEmptyCache();
  const progress: string[] = [];
  const onFiles = (done: number, of: number) => void progress.push(`${done}/${of}`);
  await fetchSiteFiles(config, onFiles);
  expect(localHashes(store)).toEqual(hashes);
  server.objects.clear();
  await uploadSiteFiles(config, onFiles);
  expect(remoteHashes(server)).toEqual(hashes);
  expect(progress).toContain("4/4");
  rmSync(rootOf(store), { recursive: true });
  server.intercept(() => server.error(403, "AccessDenied"));
  expect(await outcomeOf(fetchSiteFiles(config, onFiles))).toThrow("run adoption-store doctor");
});

test("without BLOBS_URL nothing is uploaded or fetched", async () => {
  const { config, store } = await openEmptyCache();
  const alone = { ...config, blobsUrl: undefined };
  await uploadSiteFiles(alone, () => {});
  await fetchSiteFiles(alone, () => {});
  expect(localHashes(store)).toEqual([]);
});

const doctor = async (env: Record<string, string>) => {
  const { out } = await inProcess(["doctor", "--json"], { env });
  return new Map(
    (JSON.parse(out) as { check: string; level: string; detail: string }[]).map(({ check, ...found }) => [
      check,
      found,
    ]),
  );
};

test("doctor tries the object store, and takes what it has for intact", async () => {
  const { dataDir, server } = await openEmptyCache();
  const env = { DATA_DIR: dataDir, BLOBS_URL: server.url };
  const found = await doctor(env);
  expect(found.get("object store")).toMatchObject({
    level: "ok",
    detail: `s3://sites/store at ${server.endpoint}: objects can be written, read, listed and removed`,
  });
  expect(found.get("sites")?.detail).toBe("4 files of deployed sites and photos, all intact");
  expect([...server.objects.keys()].filter((name) => name.includes("probes"))).toEqual([]);
  server.objects.delete(objectOf(hashOf(FILES["index.html"] ?? "")));
  expect((await doctor(env)).get("sites")?.detail).toContain("1 of 4 files are missing");
});

test("doctor gives advice when the object store refuses", async () => {
  const server = openNodes().server;
  server.intercept((method) => (method === "PUT" ? server.error(403, "AccessDenied") : undefined));
  const found = await doctor({ DATA_DIR: temporaryDirectory(), BLOBS_URL: server.url });
  expect(found.get("object store")).toMatchObject({ level: "failed" });
  expect(found.get("object store")?.detail).toContain("give these keys the permissions");
  expect(JSON.stringify([...found])).not.toContain("secret@");
});

test("doctor does not speak of object stores without BLOBS_URL", async () => {
  expect((await doctor({ DATA_DIR: temporaryDirectory() })).has("object store")).toBe(false);
});
