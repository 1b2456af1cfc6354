import { Database as Client } from "bun:sqlite";
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BackupOptions, takeBackup } from "../../../src/operate/backups/backup.ts";
import { type RestoreResult, prepareRestore } from "../../../src/operate/backups/restore.ts";
import type { ForgetAdopter } from "../../../src/operate/backups/undone.ts";
import { adopterRepository } from "../../../src/store/orders/erasure.ts";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { type StoreSettings, addPet, openStore, temporaryDirectory } from "../../support/store.ts";

export const NOW = Date.UTC(2026, 10, 20, 3);

/** A store in a DATA_DIR. */
export const storeIn = async (dataDir: string, settings: StoreSettings = {}) =>
  openStore({
    path: databasePath(dataDir),
    embedded: "restores",
    ...settings,
    env: { DATA_DIR: dataDir, ...settings.env },
  });

/** A store in a new DATA_DIR, which stays open. */
export const newStore = async () => {
  const dataDir = temporaryDirectory();
  const store = await storeIn(dataDir);
  return { dataDir, store, client: store.database.client };
};

/** Changes a database that no other process has open. A backup then has no digest, as if an older version had written it. */
export const change = (file: string, sql: string): void => {
  rmSync(`${file}.sha256`, { force: true });
  using client = new Client(file);
  client.run("DROP TABLE IF EXISTS backup_digest");
  client.run(sql);
};

/** Copies a database with its log, as a kill would leave them: this process may still have the original open. */
export const copyDatabase = (from: string, to: string) => {
  for (const end of ["", "-wal"])
    if (existsSync(databasePath(from) + end)) copyFileSync(databasePath(from) + end, databasePath(to) + end);
};

const databaseWith = async (name: string): Promise<Uint8Array> => {
  const directory = temporaryDirectory();
  const store = await storeIn(directory);
  await addPet(store, { name });
  await store.database.close();
  return readFileSync(databasePath(directory));
};

const databases = new Map<string, Promise<Uint8Array>>();

/** A DATA_DIR that no process has open, with one animal. Calls with the same name copy the same database. */
export const closedStore = async (name: string): Promise<string> => {
  const database = databases.get(name) ?? databaseWith(name);
  databases.set(name, database);
  const dataDir = temporaryDirectory();
  writeFileSync(databasePath(dataDir), await database);
  return dataDir;
};

/** The names of the animals that a server on this DATA_DIR would have. */
export const namesIn = async (dataDir: string): Promise<string[]> => {
  const copy = temporaryDirectory();
  copyDatabase(dataDir, copy);
  const store = await storeIn(copy);
  const pets = (await (await store.call("GET", "/v1/pets")).json()) as { name: string }[];
  return pets.map(({ name }) => name);
};

/** Backs a DATA_DIR up to a file of a new directory, unless `options` name another. */
export const backUp = (dataDir: string, options: Partial<BackupOptions> = {}) =>
  takeBackup({
    dataDir,
    file: join(temporaryDirectory(), "backup.db"),
    force: false,
    secrets: false,
    sites: true,
    reserve: 0,
    now: NOW,
    onProgress: () => {},
    ...options,
  });

/** As the command `restore` erases adopters again. */
export const forget: ForgetAdopter = (database, email) =>
  adopterRepository(database).forget(email, true, { actor: OPERATOR, now: NOW });

export const restoreTo = async (dataDir: string, file: string, now = NOW): Promise<RestoreResult> => {
  const restore = prepareRestore(dataDir, file, now, { forget });
  try {
    return await restore.run(() => {});
  } finally {
    restore.close();
  }
};

export const includes = (file: string, text: string): boolean => readFileSync(file).includes(text);

/** The files in a directory, without digests of backups. */
export const filesIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => !name.endsWith(".sha256"))
    .toSorted();
