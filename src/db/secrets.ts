import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

const SECRET_CONDITIONS: Record<string, string> = {
  certificates: "coalesce(key, order_key, token, key_authorization) IS NOT NULL",
  acme_accounts: "TRUE",
};

/** True if there is a private key that `removeSecrets` would remove. */
export const hasSecrets = (client: Client): boolean =>
  Object.entries(SECRET_CONDITIONS).some(
    ([table, isSecret]) =>
      hasTable(client, table) &&
      client.query(`SELECT 1 FROM ${table} WHERE ${isSecret} LIMIT 1`).get() !== null,
  );

/** Removes private keys and orders under way. The server then orders a certificate for each name. */
const REMOVE_KEYS = `
  UPDATE certificates SET key = NULL, chain = NULL, authority = NULL, not_before = NULL, not_after = NULL, ari_id = NULL,
    order_authority = NULL, order_url = NULL, order_key = NULL, token = NULL, key_authorization = NULL, next_at = 0
  WHERE ${SECRET_CONDITIONS["certificates"]}`;

/**
 * Removes every private key from a copy. A server that runs on the copy orders new certificates. The keys may stay in free
 * pages of the file until it is copied again.
 */
export const removeSecrets = (copy: Client): void => {
  if (hasTable(copy, "certificates")) copy.run(REMOVE_KEYS);
  if (hasTable(copy, "acme_accounts")) copy.run("DELETE FROM acme_accounts");
};
