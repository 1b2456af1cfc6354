import { writeFileSync } from "node:fs";
import { Database as Client } from "bun:sqlite";
import { isBusy } from "./failure.ts";

/** The operating system's own lock on a file, through SQLite: it ends with the process, however that ends. */
export interface Lock {
  release(): void;
}

/** Takes the lock of this file; undefined if another process holds it. @param pragma how to open it, other than usual */
export const takeLock = (path: string, pragma?: string): Lock | undefined => {
  const client = new Client(path, { create: true });
  try {
    if (pragma !== undefined) client.run(pragma);
    client.run("BEGIN EXCLUSIVE");
    return { release: () => client.close() };
  } catch (error) {
    client.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
};

/** How long who looks whether a lock is free may hold it. */
const LOOK_MS = 1000;

/** Makes this file, which must not be there, and takes a share of its lock: nobody takes the lock before it is released. */
export const shareLock = (path: string): Lock => {
  writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  const client = new Client(path, { readonly: true });
  client.run(`PRAGMA busy_timeout=${LOOK_MS}`);
  client.run("BEGIN");
  client.run("SELECT 1 FROM sqlite_schema");
  return { release: () => client.close() };
};

/** True if no process has any part of the lock of this file; false where that cannot be told. */
export const isUnlocked = (path: string): boolean => {
  try {
    // So that it takes no room: there may be none.
    const lock = takeLock(path, "PRAGMA journal_mode=MEMORY");
    lock?.release();
    return lock !== undefined;
  } catch {
    return false;
  }
};
