import type { Database as Client } from "bun:sqlite";
import { type Migration, SQUASHED } from "./migrations.ts";

/** This program cannot use the database for this `reason`. */
export class MigrationRefused extends Error {
  override name = "MigrationRefused";

  /** @param remedy what to do; it applies to a database in use, not to a backup */
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

/** The ledger's hash of a migration's SQL. */
export const hashOf = (text: string) => Bun.SHA256.hash(text, "hex");

export const appliedMigrations = (client: Client): LedgerRow[] =>
  client.query<LedgerRow, []>("SELECT tag, hash FROM migrations ORDER BY id").all();

/** Compares the applied migrations with the program's. @returns the migrations still to apply @throws MigrationRefused */
export const pendingMigrations = (
  applied: readonly LedgerRow[],
  known: readonly Migration[],
): readonly Migration[] => {
  applied.forEach(({ tag, hash }, position) => {
    const migration = known[position];
    if (!migration)
      throw new MigrationRefused(
        `the database is newer than this program (it has migration ${tag}): upgrade the program`,
      );
    if (migration.tag !== tag || hashOf(migration.sql) !== hash)
      throw new MigrationRefused(
        `migration ${tag} of the database differs from that of this program`,
        "restore a backup",
      );
  });
  return known.slice(applied.length);
};

/** True if the schema does not exist yet: the process that creates it was killed, or has not come that far. */
export const isEmptyDatabase = (client: Client): boolean =>
  client
    .query("SELECT 1 FROM sqlite_schema WHERE name <> 'migrations' AND name NOT LIKE 'sqlite_%' LIMIT 1")
    .get() === null;

/** @throws MigrationRefused unless the schema is exactly the one that this program knows. */
export const assertCurrent = (client: Client, known: readonly Migration[]): void => {
  if (isEmptyDatabase(client))
    throw new MigrationRefused("the database is empty: start the server once, which sets it up");
  const missing = pendingMigrations(appliedMigrations(client), known);
  if (missing.length > 0)
    throw new MigrationRefused(
      "the database is older than this program: start the server once, which brings it up to date",
    );
};

/** One statement of a migration. The caller runs it and passes its rows back to the generator. */
export interface Step {
  sql: string;
  parameters: readonly (string | number)[];
  /** Its migration and its position there, from 1. */
  of?: { tag: string; step: number; steps: number };
}

type Rows = Record<string, unknown>[];

const BREAKPOINT = "--> statement-breakpoint";

function* ledgerSteps(): Generator<Step, LedgerRow[], Rows> {
  const rows = yield { sql: "SELECT tag, hash FROM migrations ORDER BY id", parameters: [] };
  return rows.map(({ tag, hash }) => ({ tag: String(tag), hash: String(hash) }));
}

const ledgerStep = ({ tag, sql }: Migration, appliedAt: number): Step => ({
  sql: "INSERT INTO migrations (tag, hash, applied_at) VALUES (?, ?, ?)",
  parameters: [tag, hashOf(sql), appliedAt],
});

function* stepsOf({ tag, sql }: Migration, appliedAt: number): Generator<Step, void, Rows> {
  const statements = sql.split(BREAKPOINT);
  for (const [at, statement] of statements.entries())
    yield { sql: statement, parameters: [], of: { tag, step: at + 1, steps: statements.length } };
  yield ledgerStep({ tag, sql }, appliedAt);
}

/** Sets up a new database up to the migration of `SQUASHED`, if the list has it. @returns the later migrations */
function* squashedSteps(
  known: readonly Migration[],
  appliedAt: number,
): Generator<Step, readonly Migration[], Rows> {
  const end = known.findIndex(({ tag }) => tag === SQUASHED.tag) + 1;
  if (end > 0) yield { sql: SQUASHED.sql, parameters: [] };
  for (const migration of known.slice(0, end)) yield ledgerStep(migration, appliedAt);
  return known.slice(end);
}

const CREATE_LEDGER =
  "CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT";

/**
 * The statements that bring the schema up to date in one transaction. They may run again, and while another process runs
 * them. A caller that stops before the last statement must close the connection or roll back.
 * @throws MigrationRefused for a changed migration, a newer database or a broken foreign key
 */
export function* migrationSteps(
  known: readonly Migration[],
  appliedAt = Date.now(),
): Generator<Step, void, Rows> {
  yield { sql: CREATE_LEDGER, parameters: [] };
  if (pendingMigrations(yield* ledgerSteps(), known).length === 0) return;
  // PRAGMA foreign_keys does nothing inside a transaction, and a table's rebuild must not cascade.
  yield { sql: "PRAGMA foreign_keys=OFF", parameters: [] };
  yield { sql: "BEGIN IMMEDIATE", parameters: [] };
  // Read again with the lock: another process may have migrated meanwhile.
  const pending = pendingMigrations(yield* ledgerSteps(), known);
  const isNew = pending.length === known.length;
  for (const migration of isNew ? yield* squashedSteps(known, appliedAt) : pending)
    yield* stepsOf(migration, appliedAt);
  const broken = yield { sql: "SELECT 1 FROM pragma_foreign_key_check LIMIT 1", parameters: [] };
  if (broken.length > 0)
    throw new MigrationRefused(
      "a migration would break a foreign key, so nothing was changed",
      "run the version before this one, and report the fault",
    );
  yield { sql: "COMMIT", parameters: [] };
}

/** True if the generator needs the step's rows. The SQL of any other step may hold several statements. */
export const isQuery = ({ sql }: Step): boolean => sql.startsWith("SELECT");

/**
 * Runs the steps of a migration, and leaves its transaction open. Afterwards call `endMigration`.
 * @returns false if there was nothing to do: then no transaction is open
 * @throws MigrationRefused
 */
export const migrateUncommitted = (
  client: Client,
  known: readonly Migration[],
  appliedAt?: number,
): boolean => {
  const run = (step: Step): Rows => {
    if (isQuery(step))
      return client.query<Rows[number], (string | number)[]>(step.sql).all(...step.parameters);
    client.run(step.sql, [...step.parameters]);
    return [];
  };
  const steps = migrationSteps(known, appliedAt);
  for (let next = steps.next([]); !next.done; next = steps.next(run(next.value)))
    if (next.value.sql === "COMMIT") return true;
  return false;
};

/** Rolls back uncommitted writes, and enables foreign key checks again. */
export const endMigration = (client: Client): void => {
  if (client.inTransaction) client.run("ROLLBACK");
  client.run("PRAGMA foreign_keys=ON");
};

/** Runs all steps of a migration without a pause. @throws MigrationRefused */
export const migrate = (client: Client, known: readonly Migration[]): void => {
  try {
    if (migrateUncommitted(client, known)) client.run("COMMIT");
  } finally {
    endMigration(client);
  }
};

/** Migrations that a database still needs; none for a new database. @throws MigrationRefused */
export const pendingIn = (client: Client, known: readonly Migration[]): readonly Migration[] =>
  isEmptyDatabase(client) ? [] : pendingMigrations(appliedMigrations(client), known);
