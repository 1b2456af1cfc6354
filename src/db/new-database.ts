import { Database as Client } from "bun:sqlite";
import { createEmpty } from "../lib/ownership.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { ensureStoreId } from "./store-id.ts";

/** Writes the database of a new store to a file that must not exist, for this user only. The caller makes it durable. */
export const createDatabase = (path: string): void => {
  createEmpty(path);
  const client = new Client(path, { readwrite: true, strict: true });
  try {
    client.run("PRAGMA synchronous=OFF");
    migrate(client, migrations);
    ensureStoreId(client);
  } finally {
    client.close();
  }
};
