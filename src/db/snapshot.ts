import { Database as Client } from "bun:sqlite";
import { brokenConstraint } from "./check-constraints.ts";
import { DiskError, asDiskError, hasFailedToRead } from "./disk-error.ts";
import { isDamage } from "../lib/storage-errors.ts";
import { MigrationRefused, appliedMigrations, pendingMigrations } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { BACKUP_FILES, foreignObject, hasTable } from "./schema-check.ts";

export type { Client };

/** A file that is no sound database of this program; the message says what is wrong with it. */
export class UnsoundDatabase extends Error {
  override name = "Unsound";
}

/** Its schema is not the one that its migrations make. Everything else may be sound. */
export class ForeignSchema extends UnsoundDatabase {
  override name = "ForeignSchema";
}

const BUSY_MS = 5000;
/** Who has it open while the server is down has it open for long. */
const SETTLE_BUSY_MS = 500;

/** Opens a database that exists, as it is: nothing of it is set or brought up to date. */
export const openExisting = (path: string, { readonly = false } = {}): Client => {
  const client = readonly ? new Client(path, { readonly }) : new Client(path, { readwrite: true });
  client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  client.run("PRAGMA trusted_schema=OFF");
  return client;
};

/** Opens a copy that nobody else knows of: should it break off, it is thrown away as a whole. */
export const openCopy = (path: string): Client => {
  const client = openExisting(path);
  client.run("PRAGMA journal_mode=OFF");
  client.run("PRAGMA synchronous=OFF");
  client.run("PRAGMA foreign_keys=ON");
  client.run("PRAGMA secure_delete=ON");
  return client;
};

/** Copies what is committed now into a file that must not be there, without free pages; writers are not held up. */
export const copyInto = (client: Client, path: string): void => void client.run("VACUUM INTO ?", [path]);

/** About how large a copy is, in bytes. */
export const sizeOf = (client: Client): number =>
  client
    .query<{ bytes: number }, []>(
      "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    .get()?.bytes ?? 0;

const assertIntact = (client: Client, check: "integrity_check" | "quick_check"): void => {
  const [found] = client.query<Record<string, string>, []>(`PRAGMA ${check}(1)`).all();
  const problem = found?.[check];
  if (problem !== "ok") {
    const detail = String(problem).replaceAll(/\s+/g, " ");
    // A page that could not be read is reported as if it were damaged.
    if (hasFailedToRead(client)) throw new DiskError(detail);
    throw new UnsoundDatabase(`it is damaged (${detail})`);
  }
  if (client.query("PRAGMA foreign_key_check").get())
    throw new UnsoundDatabase("it is damaged (a foreign key leads nowhere)");
};

/** No backup is written with a larger part. */
const MAX_PART_BYTES = 16 * 2 ** 20;

/** SQL that is true unless the column is a SHA-256 in hexadecimal. In bytes, because `length` of a text stops at a NUL. */
const isNotHash = (column: string) => `length(CAST(${column} AS BLOB)) <> 64 OR ${column} GLOB '*[^0-9a-f]*'`;

/** Names become paths and parts are read into memory, and the file may come from an attacker. */
const assertNames = (client: Client): void => {
  const isAny = (table: string, condition: string) =>
    hasTable(client, table) &&
    client.query(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`).get() !== null;
  if (isAny("deploys", `manifest IS NOT NULL AND (${isNotHash("manifest")})`))
    throw new UnsoundDatabase("it is damaged (the name of a deploy's manifest is not a hash)");
  if (isAny(BACKUP_FILES, isNotHash("hash")))
    throw new UnsoundDatabase("it is damaged (the name of a site's file is not a hash)");
  if (isAny(BACKUP_FILES, `length(content) > ${MAX_PART_BYTES}`))
    throw new UnsoundDatabase("it is damaged (a part of a site's file is too large)");
};

/**
 * Looks at every page, every index, every foreign key, the names of files, the schema and the ledger of migrations; one that
 * is older than this program is fine. `quick` does not compare indexes with their tables.
 * @throws Unsound, or DiskError where that cannot be told
 */
export const assertSound = (client: Client, { quick = false } = {}): void => {
  try {
    if (!hasTable(client, "migrations")) throw new UnsoundDatabase("it is no database of adoption-store");
    const applied = appliedMigrations(client);
    if (applied.length === 0) throw new UnsoundDatabase("it is no database of adoption-store");
    pendingMigrations(applied, migrations);
    assertIntact(client, quick ? "quick_check" : "integrity_check");
    const foreign = foreignObject(client, migrations.slice(0, applied.length));
    if (foreign !== undefined) throw new ForeignSchema(foreign);
    const broken = brokenConstraint(client);
    if (broken !== undefined)
      throw new UnsoundDatabase(`it is damaged (a row breaks the constraint ${broken})`);
    assertNames(client);
  } catch (caught) {
    const error = asDiskError(client, caught);
    if (error instanceof MigrationRefused) throw new UnsoundDatabase(error.reason, { cause: error });
    if (isDamage(error))
      throw new UnsoundDatabase(`it is damaged, or no database (${String(error)})`, { cause: error });
    throw error;
  }
};

const KEPT_SECRETS: Record<string, string> = {
  certificates: "coalesce(key, order_key, token, key_authorization) IS NOT NULL",
  acme_accounts: "TRUE",
};

/** True if there is a private key that `removeSecrets` would remove. */
export const hasSecrets = (client: Client): boolean =>
  Object.entries(KEPT_SECRETS).some(
    ([table, isSecret]) =>
      hasTable(client, table) &&
      client.query(`SELECT 1 FROM ${table} WHERE ${isSecret} LIMIT 1`).get() !== null,
  );

/** Private keys and what is under way with authorities: a name that loses its certificate is to have another ordered. */
const WITHOUT_KEYS = `
  UPDATE certificates SET key = NULL, chain = NULL, authority = NULL, not_before = NULL, not_after = NULL, ari_id = NULL,
    order_authority = NULL, order_url = NULL, order_key = NULL, token = NULL, key_authorization = NULL, next_at = 0
  WHERE ${KEPT_SECRETS["certificates"]}`;

/**
 * Removes every private key from a copy. A server on it is as one whose certificates were revoked: it orders others. What
 * was removed may lie in the file until it is copied again.
 */
export const removeSecrets = (copy: Client): void => {
  if (hasTable(copy, "certificates")) copy.run(WITHOUT_KEYS);
  if (hasTable(copy, "acme_accounts")) copy.run("DELETE FROM acme_accounts");
};

/** The highest id that an event of animals was ever given; 0 without one. */
export const lastEventOf = (client: Client): number =>
  client.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'pet_events'").get()?.seq ??
  0;

/**
 * Removes the events of animals from a copy, and has the next begin above `last`. It holds for a database from before there
 * were events too: they begin there when they have their table.
 */
export const restartEvents = (copy: Client, last: number): void => {
  if (hasTable(copy, "pet_events")) copy.run("DELETE FROM pet_events");
  copy.run("DELETE FROM sqlite_sequence WHERE name = 'pet_events'");
  copy.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('pet_events', ?)", [last]);
};

/** Hashes of the manifests of all deploys that could be served. */
export const manifestsOf = (client: Client): string[] =>
  hasTable(client, "deploys")
    ? client
        .query<{ manifest: string }, []>("SELECT DISTINCT manifest FROM deploys WHERE manifest IS NOT NULL")
        .all()
        .map(({ manifest }) => manifest)
    : [];

/** The deploys that can be served, by project. */
export const servableDeploys = (client: Client): { slug: string; id: number; manifest: string }[] =>
  client
    .query<{ slug: string; id: number; manifest: string }, []>(
      `SELECT slug, deploys.id AS id, manifest FROM deploys JOIN projects ON projects.id = project_id
       WHERE manifest IS NOT NULL ORDER BY slug, deploys.id`,
    )
    .all();

/**
 * Copies what the log beside a database holds into it and ends the log, so that the file alone is the database.
 * @throws SQLITE_BUSY if another process has it open
 */
export const settleLog = (path: string): void => {
  const client = openExisting(path);
  try {
    client.run(`PRAGMA busy_timeout=${SETTLE_BUSY_MS}`);
    // With a log this opens it, and says so if the file is broken.
    client.query("SELECT count(*) FROM sqlite_schema").get();
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    client.run("PRAGMA journal_mode=DELETE");
  } finally {
    client.close();
  }
};
