import type { Database as Client } from "bun:sqlite";
import { isDamage } from "../../lib/storage-errors.ts";
import { DiskError, asDiskError, hasFailedToRead } from "./failures.ts";
import { MigrationRefused, appliedMigrations, pendingMigrations } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { BACKUP_FILES, foreignObject, hasTable } from "./schema-check.ts";
import { WITH_FILES } from "./stored-deploys.ts";

/** drizzle-kit writes each constraint on a separate line. */
const CHECK = /^\s*CONSTRAINT "(\w+)" CHECK\((.+)\),?$/gm;

interface Constraint {
  name: string;
  expression: string;
}

export const constraintsIn = (sql: string): Constraint[] =>
  [...sql.matchAll(CHECK)].map(([, name = "", expression = ""]) => ({ name, expression }));

const isBroken = (client: Client, table: string, { expression }: Constraint): boolean =>
  client.query(`SELECT 1 FROM "${table}" WHERE NOT (${expression}) LIMIT 1`).get() !== null;

/**
 * Finds a row that breaks a CHECK constraint. On a read-only connection SQLite does not even parse these constraints
 * (sqlite3AddCheckConstraint in https://sqlite.org/src/file/src/build.c).
 * @param client a database with the program's own schema, whose SQL is safe to run
 * @returns the constraint's name
 */
export const brokenConstraint = (client: Client): string | undefined =>
  client
    .query<{ table: string; sql: string }, []>(
      "SELECT name AS 'table', sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK(%'",
    )
    .all()
    .map(({ table, sql }) => constraintsIn(sql).find((one) => isBroken(client, table, one)))
    .find((one) => one !== undefined)?.name;

/** A file is not an intact database of this program; the message names the defect. */
export class UnsoundDatabase extends Error {
  override name = "Unsound";
}

/** The schema is not the one that the migrations create. Everything else may be intact. */
export class ForeignSchema extends UnsoundDatabase {
  override name = "ForeignSchema";
}

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

/** The program itself writes smaller parts into a backup. */
const MAX_PART_BYTES = 16 * 2 ** 20;

/** SQL that is true unless the column is a SHA-256 in hexadecimal. It counts bytes: `length` of a text stops at a NUL. */
const isNotHash = (column: string) => `length(CAST(${column} AS BLOB)) <> 64 OR ${column} GLOB '*[^0-9a-f]*'`;

/** Rejects names and parts that an attacker could have made: names become paths, and parts are read into memory. */
const assertNames = (client: Client): void => {
  const isAny = (table: string, condition: string) =>
    hasTable(client, table) &&
    client.query(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`).get() !== null;
  if (WITH_FILES.some((table) => isAny(table, `manifest IS NOT NULL AND (${isNotHash("manifest")})`)))
    throw new UnsoundDatabase("it is damaged (the name of a manifest is not a hash)");
  if (isAny(BACKUP_FILES, isNotHash("hash")))
    throw new UnsoundDatabase("it is damaged (the name of a site's file is not a hash)");
  if (isAny(BACKUP_FILES, `length(content) > ${MAX_PART_BYTES}`))
    throw new UnsoundDatabase("it is damaged (a part of a site's file is too large)");
};

/**
 * Checks every page, index and foreign key, the names of files, the schema and the applied migrations. The database may be
 * older than this program. `quick` does not compare indexes with their tables.
 * @throws UnsoundDatabase, or DiskError if the disk fails
 */
export const assertSound = (client: Client, { quick = false } = {}): void => {
  try {
    if (!hasTable(client, "migrations")) throw new UnsoundDatabase("it is not a database of adoption-store");
    const applied = appliedMigrations(client);
    if (applied.length === 0) throw new UnsoundDatabase("it is not a database of adoption-store");
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
      throw new UnsoundDatabase(`it is damaged, or not a database (${String(error)})`, { cause: error });
    throw error;
  }
};
