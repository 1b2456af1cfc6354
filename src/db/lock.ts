import { Database as Client } from "bun:sqlite";
import { isBusy } from "./failure.ts";

/** The operating system's own lock on a file, through SQLite: it ends with the process, however that ends. */
export interface Lock {
  release(): void;
}

/** Takes the lock of this file; undefined if another process holds it. */
export const takeLock = (path: string): Lock | undefined => {
  const client = new Client(path, { create: true });
  try {
    client.run("BEGIN EXCLUSIVE");
    return { release: () => client.close() };
  } catch (error) {
    client.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
};
