import type { Database as Client } from "bun:sqlite";
import type { Migration } from "./migrations.ts";

/** The database cannot be used by this program, and why. */
export class MigrationRefused extends Error {
  override name = "MigrationRefused";

  /** @param remedy for a database that is in use; a backup of it is not helped so */
  constructor(
    readonly reason: string,
    remedy?: string,
  ) {
    super(remedy === undefined ? reason : `${reason}: ${remedy}`);
  }
}

interface LedgerRow {
  tag: string;
  hash: string;
}

const sha256 = (text: string) => Bun.SHA256.hash(text, "hex");

/** What was applied, in order. */
export const ledgerOf = (client: Client): LedgerRow[] =>
  client.query<LedgerRow, []>("SELECT tag, hash FROM migrations ORDER BY id").all();

/** Compares what was applied with what this program knows. @returns the migrations that are still to apply. */
export const pending = (applied: readonly LedgerRow[], known: readonly Migration[]): readonly Migration[] => {
  applied.forEach(({ tag, hash }, position) => {
    const migration = known[position];
    if (!migration)
      throw new MigrationRefused(
        `the database is newer than this program (it has migration ${tag}): upgrade the program`,
      );
    if (migration.tag !== tag || sha256(migration.sql) !== hash)
      throw new MigrationRefused(
        `migration ${tag} of the database is not the one this program knows`,
        "restore a backup",
      );
  });
  return known.slice(applied.length);
};

/** True if nothing was ever made in it: whoever was to make it has ended before, or is about to. */
export const isUnmade = (client: Client): boolean =>
  client
    .query("SELECT 1 FROM sqlite_schema WHERE name <> 'migrations' AND name NOT LIKE 'sqlite_%' LIMIT 1")
    .get() === null;

/** @throws MigrationRefused unless the schema is exactly what this program knows. */
export const assertCurrent = (client: Client, known: readonly Migration[]): void => {
  if (isUnmade(client))
    throw new MigrationRefused("nothing was made in the database yet: start the server once, which does");
  const missing = pending(ledgerOf(client), known);
  if (missing.length > 0)
    throw new MigrationRefused(
      `the database is older than this program: start the server once, which brings it up to date`,
    );
};

/**
 * Brings the schema up to date in one transaction; safe to run again, and beside another process that does the same.
 * @throws MigrationRefused for a changed migration, a newer database, or a broken foreign key.
 */
export const migrate = (client: Client, known: readonly Migration[]): void => {
  client.run(
    "CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  if (pending(ledgerOf(client), known).length === 0) return;
  // PRAGMA foreign_keys does nothing inside a transaction, and a table's rebuild must not cascade.
  client.run("PRAGMA foreign_keys=OFF");
  try {
    client.run("BEGIN IMMEDIATE");
    // Read again behind the lock: another process may have migrated meanwhile.
    for (const { tag, sql } of pending(ledgerOf(client), known)) {
      client.run(sql);
      client.run("INSERT INTO migrations (tag, hash, applied_at) VALUES (?, ?, ?)", [
        tag,
        sha256(sql),
        Date.now(),
      ]);
    }
    if (client.query("PRAGMA foreign_key_check").get())
      throw new MigrationRefused("a migration would break a foreign key: nothing was changed");
    client.run("COMMIT");
  } finally {
    if (client.inTransaction) client.run("ROLLBACK");
    client.run("PRAGMA foreign_keys=ON");
  }
};
