import { expect, spyOn, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { takeBackup } from "../../src/operate/backups/backup.ts";
import { prepareRestore } from "../../src/operate/backups/restore.ts";
import { readConfig } from "../../src/config/config.ts";
import { adminKeyPath, databasePath, lockPath } from "../../src/data/data-dir/paths.ts";
import { clockGuard } from "../../src/data/data-dir/clock.ts";
import { lockForServer } from "../../src/data/data-dir/lock.ts";
import { openData } from "../../src/data/data-dir/open.ts";
import { isLocked, takeLock } from "../../src/data/db/file-lock.ts";
import { refusedHosts } from "../../src/edge/refused-hosts.ts";
import { maintenance } from "../../src/app/maintenance.ts";
import { createServices } from "../../src/app/services.ts";
import type { NewKey } from "../../src/access/keys/repository.ts";
import { type KeyService, openKeys } from "../../src/access/keys/service.ts";
import { OPERATOR } from "../../src/lib/actor.ts";
import { startServer } from "../../src/app/server.ts";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { forget } from "../operate/backups/stores.ts";
import { atEnd, contextOf, faultOf, temporaryDirectory } from "../support/store.ts";
import { outcomeOf } from "../support/outcome.ts";

/** How often the servers of these tests check their lock. */
const WATCH_MS = 25;
const BACKUP = {
  force: false,
  secrets: false,
  sites: false,
  reserve: 0,
  now: Date.now(),
  onProgress: () => {},
};

/** A free port. */
const freePort = (): number => {
  using probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  return probe.port ?? 0;
};

const configured = (dataDir = temporaryDirectory(), port = freePort(), settings = {}) =>
  readConfig({
    flags: {},
    env: { DATA_DIR: dataDir, HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "silent", ...settings },
    isTerminal: false,
  });

/** Sends requests until the port is open. @returns the first response */
const firstResponse = async (url: string, key?: string): Promise<Response> => {
  for (;;)
    try {
      return await fetch(url, { ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }) });
    } catch {
      await Bun.sleep(5);
    }
};

test("a start serves no request before the first key works, not even /livez", async () => {
  const config = configured();
  await openData(config, { create: true, migrate: true }).close();
  // Another process keeps the server from storing its key.
  const other = new Client(databasePath(config.dataDir));
  other.run("BEGIN IMMEDIATE");
  const starting = startServer(config);
  const origin = `http://127.0.0.1:${config.port}`;
  for (const path of ["/livez", "/readyz", "/v1/pets", "/docs", "/console"])
    expect(await faultOf(await firstResponse(origin + path))).toBe("503 not_ready");
  other.run("ROLLBACK");
  other.close();
  const server = await starting;
  atEnd(() => server.stop());
  const key = readFileSync(adminKeyPath(config.dataDir), "utf8").trim();
  expect((await firstResponse(`${origin}/v1/pets`, key)).status).toBe(200);
});

test("a start writes a working key before it serves the first request", async () => {
  for (let round = 0; round < 5; round++) {
    const config = configured();
    const starting = startServer(config);
    const origin = `http://127.0.0.1:${config.port}`;
    while ((await firstResponse(`${origin}/livez`)).status !== 200) await Bun.sleep(0);
    const key = readFileSync(adminKeyPath(config.dataDir), "utf8").trim();
    expect((await firstResponse(`${origin}/v1/pets`, key)).status).toBe(200);
    await (await starting).stop();
  }
});

const SOON = Date.now() + 60_000;
const startAfter = async (prepare: (keys: KeyService) => Promise<unknown>, config = configured()) => {
  const database = openData(config, { create: true, migrate: true });
  const keys = openKeys(contextOf(database));
  await prepare(keys);
  await keys.flush();
  await database.close();
  const server = await startServer(config);
  const { adminKey } = server;
  const path = adminKeyPath(config.dataDir);
  const secret = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  const { status } = await firstResponse(`${server.url}/platform/keys`, secret);
  await server.stop();
  return { config, adminKey, status, secret };
};
const create = (keys: KeyService, key: Partial<NewKey>) =>
  keys.create({ name: "shop", scopes: ["pets:read"], ...key }, OPERATOR);

test.each<[what: string, prepare: (keys: KeyService) => Promise<unknown>]>([
  ["has only some scopes", (keys) => create(keys, { scopes: ["keys:admin", "pets:write"] })],
  [
    "was revoked",
    async (keys) => {
      const { key } = await create(keys, { scopes: ["*"] });
      await keys.revoke(key.id, OPERATOR, { force: true });
    },
  ],
  [
    "has expired",
    async (keys) => {
      await create(keys, { scopes: ["*"], expiresAt: Date.now() + 200 });
      await Bun.sleep(210);
    },
  ],
])("a start of a store whose keys exist writes admin.key if the only key %s", async (_what, prepare) => {
  const { config, adminKey, status } = await startAfter(prepare);
  expect([adminKey, status]).toEqual([adminKeyPath(config.dataDir), 200]);
});

test.each<[what: string, key: Partial<NewKey>]>([
  ["a key has all scopes", { scopes: ["*"] }],
  ["a key has all scopes for some time", { scopes: ["*"], expiresAt: SOON }],
])("a start of a store whose keys exist writes no admin.key if %s", async (_what, key) => {
  const { adminKey, status } = await startAfter((keys) => create(keys, key));
  expect([adminKey, status]).toEqual([undefined, 401]);
});

test("a start of a store whose keys exist names the remedy if admin.key is a directory, and leaves no secret in another file", async () => {
  const config = configured();
  const path = adminKeyPath(config.dataDir);
  mkdirSync(path);
  await openData(config, { create: true, migrate: true }).close();
  expect(await outcomeOf(startServer(config))).toThrow(
    `${path} is a directory. Move it away: the server writes the first key to a file with this name`,
  );
  expect(readdirSync(config.dataDir).filter((name) => name.endsWith(".new"))).toEqual([]);
  rmdirSync(path);
  const server = await startServer(config);
  expect(server.adminKey).toBe(path);
  await server.stop();
});

test("a start of a store whose keys exist replaces the key in admin.key only if it does not work", async () => {
  const first = await startAfter(async () => {});
  const again = await startAfter(async () => {}, first.config);
  expect(again.secret).toBe(first.secret);
  const after = await startAfter((keys) => keys.revoke(1, OPERATOR, { force: true }), first.config);
  expect([after.status, after.secret === first.secret]).toEqual([200, false]);
  let limited = "";
  const kept = await startAfter(async (keys) => {
    await keys.revoke(2, OPERATOR, { force: true });
    limited = (await create(keys, { name: "deploys" })).secret;
    writeFileSync(adminKeyPath(first.config.dataDir), `${limited}\n`);
  }, first.config);
  expect(kept.secret).toBe(limited);
});

test("a start of a new store creates no project and no site files, and neither does the periodic work", async () => {
  const config = configured();
  await (await startServer(config)).stop();
  const lock = lockForServer(config.dataDir);
  const database = openData(config, { create: false });
  const context = contextOf(database, { config });
  const work = maintenance(context, createServices(context), {
    lock,
    watchMs: WATCH_MS,
    refusedHosts: refusedHosts(context),
    backups: undefined,
    clockGuard: clockGuard(config.dataDir, undefined, { ...context, onChange: () => {}, onError: () => {} }),
    cluster: undefined,
  });
  for (const poller of work) {
    await poller.tick();
    await poller.stop();
  }
  expect(database.client.query("SELECT slug FROM projects").values()).toEqual([]);
  expect(database.client.query("SELECT action FROM audit_entries").values()).toEqual([["key.created"]]);
  await database.close();
  lock.release();
  expect(existsSync(join(config.dataDir, "blobs"))).toBe(false);
});

test("a start leaves a project that an earlier version published unchanged, and its owner can deploy and delete it", async () => {
  const config = configured();
  const first = await startServer(config);
  const key = readFileSync(adminKeyPath(config.dataDir), "utf8").trim();
  const send = (method: string, path: string, type: string, body: string | Buffer | null = null) =>
    fetch(`http://127.0.0.1:${config.port}/platform/projects${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": type },
    });
  const deploy = (text: string) =>
    send("POST", "/docs/deploys", "application/gzip", tarGzOf([{ name: "index.html", content: text }]));
  await send("POST", "", "application/json", JSON.stringify({ slug: "docs", name: "Documentation" }));
  expect((await deploy("the manual of version 1.0.0")).status).toBe(201);
  await first.stop();
  const database = new Client(databasePath(config.dataDir));
  database.run("UPDATE deploys SET key_id = NULL");
  database.close();

  const server = await startServer(config);
  atEnd(() => server.stop());
  const site = async () =>
    (await fetch(`http://127.0.0.1:${config.port}/`, { headers: { host: "docs.localhost" } })).text();
  expect(await site()).toBe("the manual of version 1.0.0");
  expect((await deploy("handbook")).status).toBe(201);
  expect(await site()).toBe("handbook");
  expect((await send("DELETE", "/docs", "application/json")).status).toBe(204);
});

const ZONE = {
  NAMESERVER: "ns1.example.org",
  PLATFORM_DOMAIN: "example.org",
  PUBLIC_ADDRESSES: "203.0.113.10",
  DNS_LISTEN_PORT: "0",
};

test.each([
  ["PORT", {}],
  ["HTTPS_PORT", { HTTPS_PORT: "0" }],
  ["DNS_LISTEN_PORT", ZONE],
])("a start that cannot listen on %s creates no store", async (name, settings) => {
  using listener = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const dataDir = temporaryDirectory();
  const config = configured(dataDir, freePort(), { ...settings, [name]: String(listener.port) });
  expect(await outcomeOf(startServer(config))).toThrow("the port is in use");
  expect(existsSync(databasePath(dataDir))).toBe(false);
  const server = await startServer(configured(dataDir, freePort(), settings));
  expect(server.adminKey).toBe(adminKeyPath(dataDir));
  await server.stop();
});

test("a start that has no public address for NAMESERVER creates no store", async () => {
  const dataDir = temporaryDirectory();
  const config = configured(dataDir, freePort(), { ...ZONE, PUBLIC_ADDRESSES: "" });
  expect(await outcomeOf(startServer(config))).toThrow("NAMESERVER needs public addresses");
  expect(existsSync(databasePath(dataDir))).toBe(false);
});

test("a start is refused where the database of a used store is missing, and changes nothing", async () => {
  const config = configured();
  writeFileSync(adminKeyPath(config.dataDir), "secret");
  for (const make of [() => {}, () => writeFileSync(databasePath(config.dataDir), "")]) {
    make();
    expect(await outcomeOf(startServer(config))).toThrow(
      /adoption-store\.db is (missing|empty), but a store/,
    );
    expect(readFileSync(adminKeyPath(config.dataDir), "utf8")).toBe("secret");
  }
  expect(readdirSync(config.dataDir).toSorted()).toEqual(["admin.key", "adoption-store.db", "server.lock"]);
});

test("a start writes to no file that a planted link names", async () => {
  const config = configured();
  const theirs = join(temporaryDirectory(), "theirs");
  writeFileSync(theirs, "theirs");
  for (const name of ["admin.key.new", "server.json.new"]) symlinkSync(theirs, join(config.dataDir, name));
  await (await startServer(config)).stop();
  expect(readFileSync(theirs, "utf8")).toBe("theirs");
  expect(readdirSync(config.dataDir).filter((name) => name.endsWith(".new"))).toEqual([]);
});

const serving = async () => {
  const config = configured();
  const server = await startServer(config, { watchMs: WATCH_MS });
  atEnd(() => server.stop());
  return { server, config, lock: lockPath(config.dataDir) };
};
const isKept = async (lock: string) => {
  while (!isLocked(lock)) await Bun.sleep(5);
};

test("while a server runs, its deleted lock keeps another server out", async () => {
  const { config, lock } = await serving();
  const file = join(temporaryDirectory(), "backup.db");
  await takeBackup({ ...BACKUP, dataDir: config.dataDir, file });
  rmSync(lock);
  expect(await outcomeOf(startServer(configured(config.dataDir)))).toThrow(
    "another process has the database open",
  );
  rmSync(lock, { force: true });
  expect(() => prepareRestore(config.dataDir, file, Date.now(), { forget })).toThrow(
    "another process has the database open",
  );
  await isKept(lock);
});

test("while a server runs, its deleted or replaced lock is created and locked again", async () => {
  const { config, lock } = await serving();
  rmSync(lock);
  await isKept(lock);
  writeFileSync(`${lock}.other`, "");
  renameSync(`${lock}.other`, lock);
  await isKept(lock);
  expect(await outcomeOf(startServer(configured(config.dataDir)))).toThrow(
    "a server is using it: stop that server",
  );
});

test("while a server runs, a lock that cannot be locked is reported once, regardless of the number of attempts", async () => {
  const { server, lock } = await serving();
  const warn = spyOn(server.log, "warn");
  rmSync(lock);
  mkdirSync(lock);
  while (warn.mock.calls.length === 0) await Bun.sleep(WATCH_MS);
  await Bun.sleep(5 * WATCH_MS);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([
    "server.lock was deleted or replaced, and cannot be locked again",
  ]);
  rmSync(lock, { recursive: true });
  await isKept(lock);
  expect(warn).toHaveBeenCalledTimes(2);
});

test("a running server stops when another process has taken its deleted lock", async () => {
  const { server, lock } = await serving();
  rmSync(lock);
  const other = takeLock(lock);
  expect((await server.failed).message).toContain("another process holds it now");
  other?.release();
});
