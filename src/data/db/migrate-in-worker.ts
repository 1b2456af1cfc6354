import { Database as Client } from "bun:sqlite";
import { type Step, isQuery, migrationSteps, pendingIn } from "./migrate.ts";
import { type Migration, migrations } from "./migrations.ts";
import { assertEmbedded } from "./replica-mark.ts";
import { fileSize } from "../../lib/files.ts";
import { type SqlWorker, openSqlWorker } from "./sql-worker.ts";

const BUSY_MS = 5000;

/** Migrations that the database in this file still needs; none for a new database. @throws MigrationRefused */
export const pendingAt = (path: string): readonly Migration[] => {
  if (fileSize(path) === 0) return [];
  using client = new Client(path, { readwrite: true });
  client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  assertEmbedded(client);
  return pendingIn(client, migrations);
};

interface UpgradeOptions {
  /** Called before each step of a migration. */
  onStep: (step: NonNullable<Step["of"]>) => void;
  /** Aborts the upgrade, which then changes nothing. */
  signal: AbortSignal;
}

const runSteps = async (client: SqlWorker, onStep: UpgradeOptions["onStep"]) => {
  const steps = migrationSteps(migrations);
  for (let next = steps.next([]); !next.done;) {
    const { sql, parameters, of } = next.value;
    if (of) onStep(of);
    if (isQuery(next.value)) next = steps.next(await client.all(sql, parameters));
    else {
      await client.run(sql, parameters);
      next = steps.next([]);
    }
  }
};

/** Opens a database to upgrade it in a worker, without blocking the event loop. Aborting `signal` ends it immediately. */
export const openUpgrade = async (path: string, { onStep, signal }: UpgradeOptions) => {
  const worker = await openSqlWorker(path, signal);
  return {
    /** Copies the database into a file that must not exist. */
    copyInto: (copy: string): Promise<void> => worker.run("VACUUM INTO ?", [copy]),
    /** Brings the schema up to date, all or nothing. @throws MigrationRefused, or SQLite's error */
    migrate: (): Promise<void> => runSteps(worker, onStep),
    [Symbol.asyncDispose]: worker[Symbol.asyncDispose],
  };
};

export type Upgrade = Awaited<ReturnType<typeof openUpgrade>>;
