import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "../../src/app/server.ts";
import { readConfig } from "../../src/config/config.ts";
import {
  type ProcessRecord,
  processRecordPath,
  readProcessRecord,
  saveProcessRecord,
} from "../../src/data/data-dir/process-record.ts";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { backupName } from "../../src/operate/backups/file-names.ts";
import { Database } from "bun:sqlite";
import type { Status } from "../../src/cli/status.ts";
import { createStore } from "../support/new-store.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundled, inProcess } from "./program.ts";

// Each test starts processes, and the machine may be busy.
setDefaultTimeout(60_000);

const HOUR_MS = 3_600_000;
const CA = "https://ca.example.net/directory";

/** Changes when a store was created. */
const createdAt = (dataDir: string, time: number) => {
  const database = new Database(databasePath(dataDir));
  database.run("UPDATE store_identity SET created_at = ?", [time]);
  database.close();
};

const statusOf = async (dataDir: string, env: Record<string, string> = {}) => {
  const { out, code } = await inProcess(["status", "--json", "--data-dir", dataDir], { env });
  return { code, status: JSON.parse(out) as Status & { warnings: string[] } };
};

test("status without a server reports it, and exits with 1", async () => {
  const dataDir = join(temporaryDirectory(), "data");
  const { out, code } = await inProcess(["status", "--data-dir", dataDir]);
  expect(code).toBe(1);
  expect(out).toStartWith("server     not running\n");
  expect(out).toContain("does not exist yet");
  expect(out).toMatch(
    /\n\n(Start the server with adoption-store serve --data-dir \S+\/data|Show the service with .+)\.\n$/,
  );
});

test("status reports a store that a server rescued, although another database is in DATA_DIR", async () => {
  const dataDir = join(temporaryDirectory(), "data");
  await createStore(dataDir);
  const rescued = `${dataDir}.rescued-20260102T030405.006Z`;
  mkdirSync(rescued);
  writeFileSync(databasePath(rescued), "rescued");
  const { status } = await statusOf(dataDir);
  expect(status.rescued).toEqual([rescued]);
  expect(status.warnings).toContain(
    `${rescued} holds a database that was deleted while a server ran, and DATA_DIR has another: compare the two, then delete it or move it elsewhere.`,
  );
});

describe("next to a server", () => {
  const executable = bundled();
  let server: Server;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = temporaryDirectory();
    const env = { DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "silent", BASE_URL: "https://adopt.example.org" };
    server = await startServer(readConfig({ flags: {}, env, isTerminal: false }));
  });
  afterAll(() => server.stop());

  /** Runs it in a separate process: the lock of this one would not show. */
  const status = async (env: Record<string, string> = {}) => {
    const { out, code } = await executable(["status", "--json"], { env: { DATA_DIR: dataDir, ...env } });
    return { code, status: JSON.parse(out) as Status & { warnings: string[] } };
  };

  test("status shows process, version, addresses and storage, and exits with 0", async () => {
    const { code, status: found } = await status();
    expect(code).toBe(0);
    expect(found).toMatchObject({
      server: { running: true, ready: true, pid: process.pid, version: "1.0.0", restartNeeded: false },
      addresses: ["https://adopt.example.org", server.url],
      dataDir,
      storage: { animals: 0, databaseBytes: expect.any(Number) },
      warnings: [],
    });
  });

  test("in words it fits on a screen", async () => {
    const { out } = await executable(["status"], { env: { DATA_DIR: dataDir } });
    expect(out).toMatch(
      /^server {5}running, started .*, process \d+\nversion {4}1\.0\.0\naddresses {2}https:/,
    );
    expect(out.split("\n").length).toBeLessThan(12);
  });

  const refusalsOf = async (...hosts: string[]): Promise<string[]> => {
    const refused = hosts.map((host, at) => ({ host, count: 3 - at, lastAt: "2030-12-05T00:00:00.000Z" }));
    writeFileSync(join(dataDir, "refused-hosts.json"), JSON.stringify(refused));
    const { warnings } = (await status()).status;
    writeFileSync(join(dataDir, "refused-hosts.json"), "[]");
    return warnings;
  };

  test("a refused host is a warning with the remedy, and only the service's own names get advice about settings", async () => {
    expect(await refusalsOf("docs.customer.net", "shop.example.org", "zoo.localhost")).toEqual([
      "3 requests for docs.customer.net were refused: no project has this domain; to add it to one, run adoption-store domains add docs.customer.net --project PROJECT.",
      "2 requests for shop.example.org were refused: if it is another address of this server, add it to API_HOSTS.",
      "1 request for zoo.localhost was refused: the project zoo does not exist; to publish it, run adoption-store deploy DIRECTORY --project zoo --create.",
    ]);
  });

  test("custom domains are not refused hosts, even if added since or below a wildcard", async () => {
    using database = new Database(join(dataDir, "adoption-store.db"));
    database.run("PRAGMA busy_timeout = 5000");
    database.run(
      `INSERT INTO projects (slug, name, plan, target_label, created_at) VALUES ('docs', 'Docs', 'pro', 'label', 0)`,
    );
    for (const hostname of ["docs.example.org", "*.customer.net"])
      database.run(
        `INSERT INTO domains (project_id, hostname, stage, role, created_at, waiting_since, findings)
         VALUES (1, ?, 'awaiting_dns', 'served', 0, 0, '[]')`,
        [hostname],
      );
    const warnings = await refusalsOf("docs.example.org", "a.customer.net", "shop.example.org");
    for (const table of ["domains", "projects"]) database.run(`DELETE FROM ${table}`);
    expect(warnings).toEqual([expect.stringContaining("for shop.example.org")]);
  });

  /** Runs `look` while the server has left another record. */
  const withRecord = async <Result>(changes: Partial<ProcessRecord>, look: () => Promise<Result>) => {
    const record = readProcessRecord(dataDir);
    if (!record) throw new Error("the server has left no record");
    await saveProcessRecord(dataDir, { ...record, ...changes });
    const result = await look();
    await saveProcessRecord(dataDir, record);
    return result;
  };

  test("an executable that was replaced is a warning", async () => {
    const file = join(dataDir, "program");
    writeFileSync(file, "old");
    utimesSync(file, 1, 1);
    const executable = { path: file, inode: 1, modifiedAt: 1 };
    const { status: found } = await withRecord({ executable }, status);
    expect(found.server.restartNeeded).toBe(true);
    expect(found.warnings).toEqual([expect.stringContaining("The executable was replaced")]);
  });

  test("workers that are missing are a warning of status and of doctor", async () => {
    const missingWorkers = { count: 1, since: "2030-12-05T00:00:00.000Z", reason: "SIGKILL" };
    const argv = ["doctor", "--quick", "--port", "0"];
    const [{ status: found }, { out }] = await withRecord(
      { workers: [process.pid], missingWorkers },
      async () => [await status(), await executable(argv, { env: { DATA_DIR: dataDir } })] as const,
    );
    expect(found.server).toMatchObject({ workers: [{ pid: process.pid }], missingWorkers });
    const warning =
      "1 worker fewer than WORKERS requires, since 2030-12-05T00:00:00.000Z: the last one ended (SIGKILL).";
    expect(found.warnings).toEqual([expect.stringContaining(warning)]);
    expect(out).toContain(`warning server: ${warning}`);
  });

  test("a server that does not respond is running, but not ready", async () => {
    const { code, status: found } = await withRecord({ url: "http://127.0.0.1:1" }, status);
    expect([code, found.server.running, found.server.ready]).toEqual([1, true, false]);
    const { status: starting } = await withRecord({}, () => {
      writeFileSync(processRecordPath(dataDir), "{}");
      return status();
    });
    expect(starting.server).toEqual({ running: true, ready: false, reason: "it is starting" });
  });

  test("a backup is overdue a schedule and an hour after the store was created, until there is one", async () => {
    const directory = join(dataDir, "copies");
    mkdirSync(directory);
    const env = { BACKUP_SCHEDULE: "24h", BACKUP_DIR: directory };
    expect((await status(env)).status.warnings).toEqual([]);
    createdAt(dataDir, Date.now() - 24 * HOUR_MS);
    expect((await status(env)).status.warnings).toEqual([]);
    createdAt(dataDir, Date.now() - 26 * HOUR_MS);
    expect((await status(env)).status.warnings).toEqual(["A backup is overdue: look at the server's log."]);
    const taken = await executable(["backup", `${directory}/`], { env: { DATA_DIR: dataDir } });
    expect(taken.code).toBe(0);
    const { status: found } = await status(env);
    expect([found.warnings, found.backups.newest]).toEqual([[], expect.any(String)]);
    writeFileSync(join(directory, backupName(Date.now())), "of no store");
    expect((await status(env)).status.backups.newest).toBe(found.backups.newest as string);
  });
});

test("a domain that fails is a warning, and one that waits is none", async () => {
  const dataDir = await createStore();
  const database = new Database(databasePath(dataDir));
  database.run(`INSERT INTO projects (slug, name, plan, target_label, created_at)
    VALUES ('docs', 'Docs', 'pro', 'abc', 1)`);
  database.run(`INSERT INTO domains (project_id, hostname, stage, role, created_at, waiting_since, findings)
    VALUES (1, 'docs.example.org', 'dns_conflict', 'primary', 1, 1, '[]'),
           (1, 'www.example.org', 'awaiting_dns', 'served', 1, 1, '[]')`);
  database.close();
  const { status } = await statusOf(dataDir);
  expect(status.failingDomains).toEqual([
    { hostname: "docs.example.org", project: "docs", stage: "dns_conflict", failingSince: undefined },
  ]);
  expect(status.warnings).toEqual([
    "The domain docs.example.org is dns_conflict: adoption-store domains show docs.example.org --project docs",
  ]);
});

test("a damaged database is a warning, not a failure of the command", async () => {
  const dataDir = temporaryDirectory();
  writeFileSync(databasePath(dataDir), "not a database ".repeat(100));
  const { code, status } = await statusOf(dataDir);
  expect([code, status.storage?.databaseBytes]).toEqual([1, 1500]);
  expect(status.warnings).toEqual([expect.stringMatching(/^The database: /)]);
});

test("a certificate counts once it is issued; until then it is requested", async () => {
  const dataDir = await createStore();
  const database = new Database(databasePath(dataDir));
  const add = database.query(
    "INSERT INTO certificates (hostname, created_at, failures, renewals, not_before, not_after, key, chain) VALUES (?, ?, 0, 0, ?, ?, ?, ?)",
  );
  for (const name of ["docs", "zoo"]) add.run(`${name}.example.org`, Date.now(), null, null, null, null);
  const text = async () => (await inProcess(["status", "--data-dir", dataDir])).out;
  expect(await text()).toContain("\nHTTPS      no certificate yet, 2 requested\n");
  expect((await inProcess(["doctor", "--data-dir", dataDir, "--port", "0"])).out).toContain(
    "certificates: 0 issued, all in order; 2 requested\n",
  );
  add.run("www.example.org", Date.now(), Date.now(), Date.now() + 30 * 24 * HOUR_MS, "key", "chain");
  expect(await text()).toContain("\nHTTPS      1 certificate, 2 requested\n");
  database.close();
});

test("names in the queue are in order after 30 minutes, names that none attempts are not", async () => {
  const dataDir = await createStore();
  const database = new Database(databasePath(dataDir));
  const names = Array.from({ length: 12 }, (_, index) => `docs.n${index}.org`);
  for (const name of names)
    database.run(
      "INSERT INTO certificates (hostname, next_at, created_at, failures, renewals) VALUES (?, 1, 1, 0, 0)",
      [name],
    );
  const env = { ACME_DIRECTORY: CA, ACME_AGREE_TOS: "true", ACME_LIMITS: "none orders=1/3h" };
  const seen = async () => {
    const { status } = await statusOf(dataDir, env);
    const { out } = await inProcess(["doctor", "--data-dir", dataDir, "--port", "0"], { env });
    const list = await inProcess(["certificates", "list", "--json", "--data-dir", dataDir], { env });
    const statuses = (JSON.parse(list.out) as { status: string }[]).map((one) => one.status);
    return { warnings: status.certificates.warnings, out, statuses: [...new Set(statuses)].toSorted() };
  };
  const first = await seen();
  expect(first.warnings).toEqual([expect.stringContaining("docs.n0.org: it has no certificate after")]);
  expect(first.statuses).toEqual(["ssl_overdue", "wanted"]);
  database.run(
    "INSERT INTO acme_attempts (authority, kind, hostname, apex, at) VALUES (?, 'order', '', '', ?)",
    [CA, Date.now()],
  );
  const queued = await seen();
  expect(queued).toMatchObject({ warnings: [], statuses: ["wanted"] });
  expect(queued.out).toContain("certificates: 0 issued, all in order; 12 requested\n");
  database.run("DELETE FROM acme_attempts");
  env.ACME_LIMITS = "none";
  const stuck = await seen();
  expect(stuck.warnings).toHaveLength(11);
  expect(stuck.warnings.at(-1)).toBe("And 2 more names: see adoption-store certificates list.");
  expect(stuck.statuses).toEqual(["ssl_overdue"]);
  expect(stuck.out).toContain("And 2 more names");
  database.close();
});

test("invalid settings are a warning, and the rest is shown with those of the last server", async () => {
  const dataDir = await createStore();
  const { code, status: found } = await statusOf(dataDir, { BODY_LIMIT: "lots" });
  expect([code, found.dataDir]).toEqual([1, dataDir]);
  expect(found.warnings).toEqual([
    expect.stringMatching(/^The settings are invalid: BODY_LIMIT: "lots" must be /),
  ]);
});
