import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { databasePath } from "../data-dir/paths.ts";
import { type StoreIdentity, storeIdentityOf } from "../db/store-id.ts";
import { openForReading } from "../db/readonly.ts";
import type { Client } from "../db/snapshot.ts";
import { backupTime } from "./file-names.ts";

/** False for a truncated file, whose first tables may still be readable. */
const isWhole = (client: Client, file: string): boolean =>
  client
    .query<{ bytes: number }, []>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    )
    .get()?.bytes === statSync(file).size;

const readIdentity = (
  file: string,
  read: (client: Client) => StoreIdentity | undefined,
): StoreIdentity | undefined => {
  let client: Client | undefined;
  try {
    client = openForReading(file);
    return read(client);
  } catch {
    return undefined;
  } finally {
    client?.close();
  }
};

/** The identity of the store in DATA_DIR; undefined if its database is missing, damaged or older than store ids. */
export const storeIdentityIn = (dataDir: string): StoreIdentity | undefined =>
  readIdentity(databasePath(dataDir), storeIdentityOf);

/** The id of the store in a backup; undefined if it has none or cannot be read. */
export const storeIdOfFile = (file: string): string | undefined =>
  readIdentity(file, (client) => (isWhole(client, file) ? storeIdentityOf(client) : undefined))?.id;

/** The names of the backups in a directory. */
interface DirectoryBackups {
  /** Backups of this store. */
  own: string[];
  /** Backups of another store, without a store id, or damaged. Rotation leaves them alone. */
  others: string[];
}

/** When the newest backup of a store was taken, or of any store without an id; undefined if there is none. */
export const newestBackupIn = (
  directory: string,
  storeId: string | undefined,
  now: number,
): number | undefined => {
  const names = readdirSync(directory).filter((name) => (backupTime(name) ?? Infinity) <= now);
  const isOwn = (name: string) => storeId === undefined || storeIdOfFile(join(directory, name)) === storeId;
  // The names sort by time, so that few files are read.
  const newest = names.toSorted().findLast(isOwn);
  return newest === undefined ? undefined : backupTime(newest);
};

export const backupsIn = (directory: string, storeId: string | undefined): DirectoryBackups => {
  const named = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && backupTime(entry.name) !== undefined)
    .map(({ name }) => name);
  const isOwn = (name: string) => storeId !== undefined && storeIdOfFile(join(directory, name)) === storeId;
  const { own = [], others = [] } = Object.groupBy(named, (name) => (isOwn(name) ? "own" : "others"));
  return { own, others };
};
