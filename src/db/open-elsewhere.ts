import { Database as Client } from "bun:sqlite";
import { fileSize } from "../lib/files.ts";
import { isBusy } from "../lib/storage-errors.ts";

/**
 * True if another connection has this database open. If none has, this copies the log into the database, as a close does.
 * Other faults of the database are left to the process that opens it next.
 */
export const isOpenElsewhere = (path: string): boolean => {
  // SQLite deletes the log of a database that has no bytes.
  if (fileSize(path) === 0) return false;
  let client: Client | undefined;
  try {
    client = new Client(path, { readwrite: true });
    client.run("PRAGMA locking_mode=EXCLUSIVE");
    client.query("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    client?.close();
  }
};
