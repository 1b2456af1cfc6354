import { Database as Client } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { preMigrationCopyPath, removeOldCopies } from "../../../src/operate/backups/pre-migration-copy.ts";
import { readConfig } from "../../../src/config/config.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { appliedMigrations, migrate } from "../../../src/data/db/migrate.ts";
import { createDatabase } from "../../../src/data/db/open.ts";
import { openSqlWorker } from "../../../src/data/db/sql-worker.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { respondWhilePreparing } from "../../../src/http/health.ts";
import { MigrationStopped, migrateData } from "../../../src/operate/backups/migration.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

const TAGS = migrations.map(({ tag }) => tag);

/** A DATA_DIR whose database has the first migrations and an animal. */
const olderStore = (applied: number, env: Record<string, string> = {}) => {
  const dataDir = temporaryDirectory();
  const path = databasePath(dataDir);
  const client = new Client(path, { create: true });
  client.run("PRAGMA journal_mode=WAL");
  migrate(client, migrations.slice(0, applied));
  client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Bella', 1, 0)");
  client.close();
  const config = readConfig({ flags: {}, env: { DATA_DIR: dataDir, ...env }, isTerminal: false });
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info", base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  let begun = 0;
  const upgrade = (signal = new AbortController().signal) =>
    migrateData(config, { log, signal, onBegin: async () => void begun++ });
  const look = (file = path) => {
    const found = new Client(file, { readonly: true });
    try {
      return {
        applied: appliedMigrations(found).length,
        names: found
          .query<{ name: string }, []>("SELECT name FROM pets")
          .all()
          .map(({ name }) => name),
      };
    } finally {
      found.close();
    }
  };
  return { dataDir, lines, upgrade, look, begun: () => begun };
};

describe.each(TAGS.slice(1).map((tag, at) => [tag, at + 1] as const))(
  "a database from before %s",
  (tag, applied) => {
    test("an older database is migrated with its animals, logs each step, and leaves a copy", async () => {
      const { dataDir, lines, upgrade, look, begun } = olderStore(applied);
      await upgrade();
      expect(look()).toEqual({ applied: TAGS.length, names: ["Bella"] });
      expect(look(preMigrationCopyPath(dataDir, tag))).toEqual({ applied, names: ["Bella"] });
      const logged = lines.flatMap(({ migration }) => (migration === undefined ? [] : [migration]));
      expect([...new Set(logged)]).toEqual(TAGS.slice(applied));
      expect(begun()).toBe(1);
    });
  },
);

test("a database that is up to date or missing is not migrated", async () => {
  const { lines, upgrade, begun } = olderStore(TAGS.length);
  await upgrade();
  expect([begun(), lines]).toEqual([0, []]);
});

test("without space for a copy the migration continues, and the log reports that", async () => {
  const { dataDir, lines, upgrade, look } = olderStore(4, { DISK_RESERVE: "1024GiB" });
  await upgrade();
  expect(look().applied).toBe(TAGS.length);
  expect(readdirSync(dataDir).filter((name) => name.includes(".before-"))).toEqual([]);
  expect(lines.find(({ level }) => level === 40)?.["msg"]).toStartWith(
    "the database is not copied first: DATA_DIR needs ",
  );
});

test("a stopped migration leaves the database unchanged", async () => {
  const { upgrade, look } = olderStore(4);
  expect(await outcomeOf(upgrade(AbortSignal.abort("SIGTERM")))).toThrow(MigrationStopped);
  expect(look()).toEqual({ applied: 4, names: ["Bella"] });
  await upgrade();
  expect(look().applied).toBe(TAGS.length);
});

test("a signal while the worker closes does not make a migration that was committed look stopped", async () => {
  const path = join(temporaryDirectory(), "store.db");
  createDatabase(path);
  const controller = new AbortController();
  const worker = await openSqlWorker(path, controller.signal);
  await worker.run("CREATE TABLE kept (id INTEGER)");
  const closed = worker[Symbol.asyncDispose]();
  controller.abort("SIGTERM");
  expect(await outcomeOf(closed)).not.toThrow();
});

test("a copy is removed after 7 days, and by the next migration", async () => {
  const { dataDir, upgrade } = olderStore(4);
  const [other, aside] = ["adoption-store.db.before-0001_a", "adoption-store.db.before-restore-x"];
  for (const name of [other, aside]) await Bun.write(join(dataDir, name), "");
  await upgrade();
  const copy = preMigrationCopyPath(dataDir, TAGS[4] ?? "");
  expect([copy, join(dataDir, other), join(dataDir, aside)].map(existsSync)).toEqual([true, false, true]);
  const now = Date.now();
  expect(removeOldCopies(dataDir, now)).toEqual([]);
  const old = new Date(now - 8 * 24 * 60 * 60_000);
  for (const path of [copy, join(dataDir, aside)]) utimesSync(path, old, old);
  expect(removeOldCopies(dataDir, now)).toEqual([copy]);
  expect([copy, join(dataDir, aside)].map(existsSync)).toEqual([false, true]);
});

test("during a migration the service is alive and not ready", async () => {
  const ask = (path: string) => respondWhilePreparing(new Request(`http://localhost${path}`));
  expect(await ask("/livez").json()).toEqual({ status: "alive" });
  for (const path of ["/readyz", "/v1/pets", "/", "/console"]) {
    const response = ask(path);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await response.json()).toEqual({
      code: "not_ready",
      message: expect.stringMatching(/^The database is being prepared; /),
      status: 503,
    });
  }
});
