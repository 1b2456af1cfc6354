import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

/** The id of a store; undefined for a database that has none yet. */
export const storeIdOf = (client: Client): string | undefined =>
  hasTable(client, "store_identity")
    ? client.query<{ id: string }, []>("SELECT store_id AS id FROM store_identity LIMIT 1").get()?.id
    : undefined;

/** Gives the store an id if it has none. The id is a parameter, so that the SQL is deterministic. */
export const ensureStoreId = (client: Client): void => {
  if (storeIdOf(client) !== undefined) return;
  client.run("INSERT OR IGNORE INTO store_identity (one, store_id, created_at) VALUES (1, ?, ?)", [
    crypto.randomUUID(),
    Date.now(),
  ]);
};
