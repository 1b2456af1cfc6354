import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

/** The id of a store, and when it was created, in milliseconds UTC. */
export interface StoreIdentity {
  id: string;
  createdAt: number;
}

export const storeIdentityOf = (client: Client): StoreIdentity | undefined =>
  hasTable(client, "store_identity")
    ? (client
        .query<StoreIdentity, []>(
          "SELECT store_id AS id, created_at AS createdAt FROM store_identity LIMIT 1",
        )
        .get() ?? undefined)
    : undefined;

export const storeIdOf = (client: Client): string | undefined => storeIdentityOf(client)?.id;

/** Gives the store an id if it has none. The id is a parameter, so that the SQL is deterministic. */
export const ensureStoreId = (client: Client): void => {
  if (storeIdOf(client) !== undefined) return;
  client.run("INSERT OR IGNORE INTO store_identity (one, store_id, created_at) VALUES (1, ?, ?)", [
    crypto.randomUUID(),
    Date.now(),
  ]);
};
