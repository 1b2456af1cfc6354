import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { databasePath, lockPath } from "../../src/data/data-dir/paths.ts";
import { openData } from "../../src/data/data-dir/open.ts";
import { startServer } from "../../src/app/server.ts";
import { openProject } from "../platform/domains/projects.ts";
import { backupName } from "../../src/operate/backups/file-names.ts";
import { backUp } from "../operate/backups/stores.ts";
import { directoryWithStore } from "../support/new-store.ts";
import { atEnd, temporaryDirectory } from "../support/store.ts";
import { bundledIn, inProcessIn } from "./program.ts";

const spawn = bundledIn();
const run = inProcessIn;

interface Finding {
  check: string;
  level: string;
  ok: boolean;
  detail: string;
}

/** All files below a directory, with their content. */
const listing = (directory: string): string[] =>
  readdirSync(directory, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const path = join(directory, name);
      const { ino, mode, uid, gid, size, mtimeMs } = lstatSync(path);
      const content = lstatSync(path).isFile() ? Bun.SHA256.hash(readFileSync(path), "hex") : "";
      return [name, ino, mode, uid, gid, size, mtimeMs, content].join(" ");
    });

/** Runs doctor and makes sure that nothing changed. @returns its findings, by check */
const examine = async (cwd: string): Promise<Record<string, Finding>> => {
  const before = listing(cwd);
  const { out, error } = await run(cwd, ["doctor", "--port", "0", "--json"]);
  expect(error).toBe("");
  expect(listing(cwd)).toEqual(before);
  return Object.fromEntries((JSON.parse(out) as Finding[]).map((finding) => [finding.check, finding]));
};

const configIn = (dataDir: string) =>
  readConfig({ flags: {}, env: { DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "error" }, isTerminal: false });

/** A working directory with a crashed store in `data`: its animals are only in the log. */
const crashed = async (ends = ["", "-wal", "-shm"]): Promise<string> => {
  const source = temporaryDirectory();
  const database = openData(configIn(source), { create: true });
  database.client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Bella', 1, 0)");
  const cwd = temporaryDirectory();
  const data = join(cwd, "data");
  mkdirSync(data, { mode: 0o700 });
  for (const end of ends) copyFileSync(databasePath(source) + end, databasePath(data) + end);
  await database.close();
  return cwd;
};

describe("doctor changes nothing", () => {
  test("where there is no DATA_DIR", async () => {
    const found = await examine(temporaryDirectory());
    expect(Object.values(found).filter(({ ok }) => !ok)).toEqual([]);
  });

  test("in an empty DATA_DIR", async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, "data"));
    const unchecked = { ok: true, detail: "not checked: there is no database yet" };
    expect(await examine(cwd)).toMatchObject({
      database: { detail: "it does not exist yet: adoption-store serve creates it" },
      certificates: unchecked,
      sites: unchecked,
    });
  });

  test.each([
    ["a log and its index", ["", "-wal", "-shm"]],
    ["a log without its index", ["", "-wal"]],
  ])("after a crash that left %s, which it reads", async (_name, ends) => {
    const cwd = await crashed(ends);
    expect(await examine(cwd)).toMatchObject({
      database: { ok: true, detail: "intact, all migrations applied" },
      certificates: { ok: true },
    });
  });

  test("next to a database without a log", async () => {
    const dataDir = await directoryWithStore();
    const files = readdirSync(dataDir, { recursive: true }).map(String);
    expect(files.filter((name) => name.endsWith(".db") || name.endsWith("-wal"))).toHaveLength(1);
    expect((await examine(dataDir))["database"]?.ok).toBe(true);
  });

  test("while a server runs, which it reports", async () => {
    const cwd = temporaryDirectory();
    const server = await startServer(configIn(join(cwd, "data")));
    atEnd(() => server.stop());
    const { out } = await spawn(cwd, ["doctor", "--port", "0"]);
    expect(out).toContain("ok      server: one is running on this DATA_DIR");
    expect(out).toContain("ok      database: intact");
  });

  test.each([
    ["missing", rmSync],
    ["empty", truncateSync],
  ])("if the database is %s, which it reports", async (state, lose) => {
    const cwd = await crashed();
    lose(databasePath(join(cwd, "data")));
    const unchecked = { level: "warning", detail: "not checked: the database cannot be read" };
    expect(await examine(cwd)).toMatchObject({
      certificates: unchecked,
      sites: unchecked,
      database: { ok: false, detail: expect.stringContaining(`is ${state}, but a store`) },
    });
  });

  test.each([
    ["write to", 0o777, { ok: false }, "others can write to it (mode 777): chmod 700"],
    ["only list", 0o755, { ok: true, level: "warning" }, "others can list its files: chmod 700"],
  ])("if others can %s DATA_DIR, which it reports", async (_, mode, finding, detail) => {
    const cwd = await crashed();
    chmodSync(join(cwd, "data"), mode);
    writeFileSync(lockPath(join(cwd, "data")), "");
    expect((await examine(cwd))["data directory"]).toMatchObject({
      ...finding,
      detail: expect.stringContaining(detail),
    });
  });
});

test("doctor names the deploys whose files are damaged", async () => {
  const dataDir = temporaryDirectory();
  const { store } = await openProject({ path: databasePath(dataDir), env: { DATA_DIR: dataDir } });
  const doctor = async () => {
    const { out } = await run(dataDir, ["doctor", "--port", "0", "--json", "--data-dir", dataDir]);
    return (JSON.parse(out) as Finding[]).find(({ check }) => check === "sites");
  };
  expect(await doctor()).toMatchObject({
    ok: true,
    detail: "2 files of deployed sites and photos, all intact",
  });
  const page = Buffer.from(await (await store.visit("http://docs.localhost/")).arrayBuffer());
  const hash = Bun.SHA256.hash(page, "hex");
  writeFileSync(join(dataDir, "blobs", hash.slice(0, 2), hash.slice(2)), "x");
  expect(await doctor()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^1 of 2 files are missing or damaged, in docs 1: deploy/),
  });
});

describe("doctor warns, with exit code 0,", () => {
  const DAY_MS = 86_400_000;

  /** A crashed store with a backup of itself in `shelf`, and a server's settings. */
  const withBackup = async (age: number) => {
    const cwd = await crashed();
    const data = join(cwd, "data");
    const shelf = join(cwd, "shelf");
    mkdirSync(shelf);
    await backUp(data, { file: join(shelf, backupName(Date.now() - age)) });
    writeFileSync(join(data, "server.json"), JSON.stringify({ BACKUP_SCHEDULE: "24h", BACKUP_DIR: shelf }));
    return cwd;
  };
  const backupsIn = async (cwd: string) => {
    const { out, code } = await run(cwd, ["doctor", "--port", "0"]);
    return [code, out.split("\n").find((line) => line.includes(" backups: "))];
  };

  test("if no backups are scheduled", async () => {
    expect(await backupsIn(await crashed())).toEqual([
      0,
      expect.stringMatching(/^warning backups: none are scheduled: set BACKUP_SCHEDULE=24h/),
    ]);
  });

  test("if the backups of the server's settings are overdue, and not if they are on time", async () => {
    expect(await backupsIn(await withBackup(2 * DAY_MS))).toEqual([
      0,
      expect.stringMatching(
        /^warning backups: .+the newest is from .+, and one was due at .+: start the server, which then takes one/,
      ),
    ]);
    expect(await backupsIn(await withBackup(DAY_MS / 2))).toEqual([
      0,
      expect.stringMatching(/^ok {6}backups: .+shelf can be written; the newest is from /),
    ]);
  });

  test("if a backup is overdue since the store was created, and not before", async () => {
    const cwd = temporaryDirectory();
    const dataDir = join(cwd, "data");
    const server = await startServer(configIn(dataDir));
    atEnd(() => server.stop());
    const shelf = join(cwd, "shelf");
    const backups = async () =>
      (
        await spawn(cwd, ["doctor", "--port", "0", "--backup-schedule", "24h", "--backup-dir", shelf])
      ).out.match(/^.+ backups: .+$/m)?.[0];
    expect(await backups()).toMatch(/^ok {6}backups: .+; there is no backup yet$/);
    using client = new Database(databasePath(dataDir));
    client.run("UPDATE store_identity SET created_at = ?", [Date.now() - 2 * DAY_MS]);
    expect(await backups()).toMatch(
      /^warning backups: .+; there is no backup yet, and one was due at .+: look at the server's log$/,
    );
  });

  test("and names the level of each finding in JSON", async () => {
    const found = await examine(await crashed());
    expect(Object.values(found).map(({ check, level, ok }) => [check, level, ok])).toContainEqual([
      "backups",
      "warning",
      true,
    ]);
    expect(found["database"]).toMatchObject({ level: "ok", ok: true });
  });
});

test("doctor names derived data that differs from its rows, and how to repair it", async () => {
  const dataDir = await directoryWithStore();
  using client = new Database(databasePath(join(dataDir, "data")), { readwrite: true });
  client.run("INSERT INTO pet_names (id, folded) VALUES (7, 'none')");
  client.close();
  expect((await examine(dataDir))["derived data"]).toMatchObject({
    level: "failed",
    detail:
      "derived data differs from its rows (animals in the list by name: 1): stop the server and run adoption-store doctor --repair",
  });
});

test("a damaged name is shown with that of the list by name, before a repair and during it", async () => {
  const cwd = await directoryWithStore();
  const path = databasePath(join(cwd, "data"));
  {
    using client = new Database(path, { readwrite: true });
    client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Tier', 1, 5)");
    client.run("UPDATE pets_indexed SET indexed_to = 1, counted_to = 1");
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  const bytes = readFileSync(path);
  bytes.write("Vier", bytes.indexOf("Tier"));
  writeFileSync(path, bytes);
  const both = 'animal 1 ("Vier", listed as "tier")';
  expect((await examine(cwd))["derived data"]?.detail).toContain(
    `one of two names is damaged: ${both}. Correct the animals whose name is wrong, then stop the server and run`,
  );
  const { out, error } = await run(cwd, ["doctor", "--repair", "--port", "0"]);
  expect(error).toContain(both);
  expect(out).toMatch(/^ok {6}repair: all \d+ rows are readable, and everything else was rebuilt from them/m);
});

test("a repair of an intact store changes nothing and reports that", async () => {
  const cwd = await directoryWithStore();
  const [, before] = listing(cwd);
  const { out } = await run(cwd, ["doctor", "--repair", "--port", "0"]);
  expect(out).toContain("ok      repair: nothing is damaged or differs, so nothing was changed");
  expect(listing(cwd)).toEqual([
    expect.any(String),
    before as string,
    expect.stringContaining("server.lock"),
  ]);
});

test("doctor --quick reports that it has not checked everything", async () => {
  const { out } = await run(await crashed(), ["doctor", "--quick", "--port", "0"]);
  expect(out).toMatch(/^ok {6}database: no damage found.+\(--quick\)$/m);
});
