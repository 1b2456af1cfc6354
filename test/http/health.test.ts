import { metrics } from "../../src/http/metrics.ts";
import { expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import {
  type Call,
  addPet,
  atEnd,
  faultOf,
  messageOf,
  openStore,
  type Store,
  temporaryDirectory,
} from "../support/store.ts";
import { EngineUnavailable } from "../../src/lib/storage-errors.ts";
import { clusterNode } from "../support/cluster-node.ts";

const until = async (is: () => Promise<boolean>) => {
  while (!(await is())) await Bun.sleep(5);
};

const statusOf = async (store: Store): Promise<number> =>
  (await store.call("GET", "/readyz", { key: false })).status;

const reportOf = async (store: Store, call: Call = {}): Promise<unknown> =>
  (await store.call("GET", "/readyz", call)).json();

const addCertificate = ({ database }: Store, hostname: string, notAfter: number) =>
  database.client.run(
    "INSERT INTO certificates (hostname, failures, created_at, key, chain, not_before, not_after, renewals) VALUES (?, 0, 0, 'k', 'c', 0, ?, 0)",
    [hostname, notAfter],
  );

test("/livez and /readyz respond without a key", async () => {
  const store = await openStore();
  expect(await (await store.call("GET", "/livez", { key: false })).json()).toEqual({ status: "alive" });
  expect(await reportOf(store, { key: false })).toEqual({ status: "ready" });
});

test("/readyz responds with 503 and names the problem when the database cannot be written", async () => {
  const store = await openStore();
  store.database.writer.run("PRAGMA query_only=ON");
  const response = await store.call("GET", "/readyz");
  expect(await messageOf(response.clone() as Response)).toMatch(
    /^database: .*make its file system .* writable/,
  );
  expect(await faultOf(response)).toBe("503 not_ready");
  store.database.writer.run("PRAGMA query_only=OFF");
  expect(await statusOf(store)).toBe(200);
});

test("/readyz responds with 503 and names the problem when the last write was refused, until a write succeeds again", async () => {
  const store = await openStore({ path: `${temporaryDirectory()}/store.db` });
  store.database.writer.run("PRAGMA max_page_count=1");
  for (let status = 201; status === 201;)
    status = (await store.call("POST", "/v1/pets", { json: { name: "x".repeat(200), categoryId: 1 } }))
      .status;
  store.database.writer.run("PRAGMA query_only=ON");
  expect(await statusOf(store)).toBe(503);
  store.database.writer.run("PRAGMA query_only=OFF");
  store.database.writer.run("PRAGMA max_page_count=1073741823");
  expect(await statusOf(store)).toBe(200);
});

test("/readyz responds with 503 and names the problem when the limit of open files is almost reached, and warns before that", async () => {
  const use = { open: 4090, limit: 4096 };
  const store = await openStore({ fileUse: () => use });
  const response = await store.call("GET", "/readyz");
  expect(await messageOf(response.clone() as Response)).toStartWith("files: 4090 of 4096 files are open");
  expect(await faultOf(response)).toBe("503 not_ready");
  use.open = 4000;
  expect(await reportOf(store, { key: false })).toEqual({
    status: "ready",
    warnings: [{ code: "few_file_descriptors", count: 160 }],
  });
});

test("/readyz responds with 503 and names the problem when the schema belongs to another program", async () => {
  const store = await openStore();
  store.database.client.run("INSERT INTO migrations (tag, hash, applied_at) VALUES ('9999_later', '', 0)");
  expect(await messageOf(await store.call("GET", "/readyz"))).toContain("newer than this program");
});

test("/readyz responds with 503 and names the problem when another process holds the lock for too long, but not during a normal write", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path, storage: { lockWait: 40 } });
  const other = await openStore({ path });
  other.database.client.run("BEGIN IMMEDIATE");
  expect(await statusOf(store)).toBe(200);
  await until(async () => (await statusOf(store)) === 503);
  expect(await messageOf(await store.call("GET", "/readyz"))).toMatch(
    /^database: the database has been locked for \d+ s by another process$/,
  );
  other.database.client.run("ROLLBACK");
  await until(async () => (await statusOf(store)) === 200);
});

test("/readyz responds with 503 and names the problem when a read finds damage, until the whole file is intact", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ path });
  const damage = Object.assign(new Error("database disk image is malformed"), { code: "SQLITE_CORRUPT" });
  store.database.suspect(new Error("unrelated"));
  expect(await statusOf(store)).toBe(200);
  store.database.suspect(damage);
  expect(await messageOf(await store.call("GET", "/readyz"))).toStartWith(
    "database: a read failed (database disk image is malformed)",
  );
  await until(async () => (await statusOf(store)) === 200);
});

test("/readyz responds with 503 and names the problem when a request finds damage", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const store = await openStore({ embedded: "damage", path });
  for (let at = 0; at < 200; at++) await addPet(store, { name: "x".repeat(200) });
  store.database.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  // All but the first pages, which the probe reads.
  for (let at = 64 * 1024; at < size; at += 4096) writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, at);
  atEnd(() => closeSync(file));
  store.database.client.run("PRAGMA shrink_memory");
  const listed = await store.call("GET", "/v1/pets?limit=100");
  expect(await faultOf(listed)).toBe("503 storage_unavailable");
  expect(await statusOf(store)).toBe(503);
  await Bun.sleep(0);
  expect(await messageOf(await store.call("GET", "/readyz"))).toStartWith("database: a read failed");
});

test("/readyz responds with 503 and names the problem when the disk has less room than DISK_RESERVE", async () => {
  const store = await openStore({ env: { DISK_RESERVE: "1024GiB" } });
  expect(await messageOf(await store.call("GET", "/readyz"))).toMatch(
    /^disk: \d+ MiB free in DATA_DIR, below DISK_RESERVE/,
  );
});

const unprivilegedKeys = async (store: Store): Promise<(string | false)[]> => [
  false,
  "aas_x",
  "aas_7777777777777777777777777777771SlwSS",
  await store.createKey({ scopes: ["pets:read", "keys:admin"] }),
];

test("without the scope metrics:read, /readyz shows only counts and names of checks when it is not ready", async () => {
  const store = await openStore({ env: { DISK_RESERVE: "1024GiB" } });
  for (const key of await unprivilegedKeys(store)) {
    const response = await store.call("GET", "/readyz", { key });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toEqual({
      code: "not_ready",
      message: "The service is not ready (disk); use a key with the scope metrics:read to see why.",
      status: 503,
    });
  }
});

test("without the scope metrics:read, /readyz shows only counts and names of checks when it warns", async () => {
  const store = await openStore();
  const ends = Date.UTC(2026, 10, 21);
  for (const name of ["a.example.org", "b.example.org"]) addCertificate(store, name, ends);
  for (const key of await unprivilegedKeys(store))
    expect(await reportOf(store, { key })).toEqual({
      status: "ready",
      warnings: [{ code: "certificates_end_soon", count: 2 }],
    });
});

test("/readyz shows the messages of warnings to a key with metrics:read", async () => {
  const store = await openStore();
  for (let at = 0; at < 12; at++) addCertificate(store, `${at}.example.org`, Date.UTC(2026, 10, 21, at));
  const key = await store.createKey({ scopes: ["metrics:read"] });
  const { warnings } = (await reportOf(store, { key })) as {
    warnings: { message: string }[];
  };
  expect(warnings).toMatchObject([{ code: "certificates_end_soon", count: 12 }]);
  expect(warnings[0]?.message).toStartWith(
    "Certificates end soon: 0.example.org (2026-11-21T00:00:00.000Z), ",
  );
  expect(warnings[0]?.message).toContain(" and 2 more");
});

const failing = {
  lastSuccess: Date.UTC(2026, 10, 1),
  due: Date.UTC(2026, 10, 2),
  failures: 3,
  reason: "no room",
};

test("scheduled backups that fail and are overdue are warnings of /readyz", async () => {
  const store = await openStore({ env: { BACKUP_SCHEDULE: "24h" }, backupStatus: () => failing });
  expect(await reportOf(store, { key: false })).toEqual({
    status: "ready",
    warnings: [
      { code: "backups_fail", count: 3 },
      { code: "backup_overdue", count: 1 },
    ],
  });
  const { warnings } = (await reportOf(store)) as {
    warnings: { message: string }[];
  };
  expect(warnings[0]?.message).toBe(
    "The last 3 attempts at a backup failed, and the newest backup is from 2026-11-01T00:00:00.000Z: no room",
  );
});

test("scheduled backups appear in /metrics with the time of the newest, if there is one", async () => {
  const sample = /^backup_last_success_timestamp_seconds \d+$/m;
  const store = await openStore({ backupStatus: () => failing });
  expect(sample.exec(await (await store.call("GET", "/metrics")).text())?.[0]).toBe(
    "backup_last_success_timestamp_seconds 1793491200",
  );
  const without = await openStore();
  expect(await (await without.call("GET", "/metrics")).text()).not.toMatch(sample);
  expect(await reportOf(without)).toEqual({ status: "ready" });
});

test("/readyz probes the disk at most once per interval, regardless of how often it is called", async () => {
  const path = `${temporaryDirectory()}/store.db`;
  const userVersion = (store: Store) => store.database.client.query("PRAGMA user_version").get();
  const store = await openStore({ path, storage: { probeMs: 3_600_000 } });
  const before = userVersion(store);
  for (let at = 0; at < 20; at++) expect(await statusOf(store)).toBe(200);
  expect(userVersion(store)).toEqual(before);
  const eager = await openStore({ path });
  for (let at = 0; at < 3; at++) await eager.call("GET", "/readyz", { key: false });
  expect(userVersion(eager)).not.toEqual(before);
});

test("/metrics has the expiry of certificates in seconds since 1970", async () => {
  const notAfter = Date.UTC(2027, 0, 1);
  const { expose } = metrics({
    version: "1.0.0",
    expiries: () => [{ hostname: "docs.example.org", notAfter }],
  });
  expect((await expose()).text).toContain(
    `\ncertificate_expiry_timestamp_seconds{host="docs.example.org"} ${notAfter / 1000}\n`,
  );
});

test("/metrics counts requests by method, route template and status", async () => {
  const store = await openStore();
  await addPet(store, {});
  for (const path of ["/v1/pets/1", "/v1/pets/2", "/v1/pets/3"]) await store.call("GET", path);
  const text = await (await store.call("GET", "/metrics")).text();
  const labels = (status: number) =>
    `http_request_method="GET",http_route="/v1/pets/:petId",http_response_status_code="${status}"`;
  expect(text).toContain(`http_server_request_duration_seconds_count{${labels(200)}} 1`);
  expect(text).toContain(`http_server_request_duration_seconds_count{${labels(404)}} 2`);
  expect(text).toContain(`http_server_request_duration_seconds_bucket{${labels(404)},le="+Inf"} 2`);
});

test("/metrics does not count CPU time twice", async () => {
  const store = await openStore();
  const counted = async () =>
    Number(
      /^process_cpu_seconds_total ([\d.e-]+)$/m.exec(await (await store.call("GET", "/metrics")).text())?.[1],
    );
  const before = process.cpuUsage();
  await counted();
  const second = await counted();
  const { user, system } = process.cpuUsage();
  expect(second).toBeGreaterThanOrEqual((before.user + before.system) / 1e6);
  expect(second).toBeLessThanOrEqual((user + system) / 1e6);
});

test("/metrics has no series for a path or method that a client invented", async () => {
  const store = await openStore();
  for (const path of ["/v1/made-up-1", "/made-up-2"]) await store.call("GET", path);
  await store.call("MADEUP", "/v1/pets");
  expect(await (await store.call("GET", "/metrics")).text()).not.toMatch(/made-up|MADEUP/);
});

test("/metrics is in the Prometheus text format: every line is a comment or a sample", async () => {
  const response = await (await openStore()).call("GET", "/metrics");
  expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  for (const line of (await response.text()).split("\n"))
    expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[^"]*",?)*\})? [-+\d.e]+$/);
});

test("a node that is cut off from its cluster is alive, but not ready, and every client learns the reason", async () => {
  const { node, change } = await clusterNode();
  await change({ problem: "away" });
  const fresh = async () => {
    throw new EngineUnavailable("etcd at 192.0.2.7 does not respond");
  };
  const store = await openStore({ clusterNode: { ...node, assertReady: () => node.assertReady(fresh) } });
  expect((await store.call("GET", "/livez", { key: false })).status).toBe(200);
  const response = await store.call("GET", "/readyz", { key: false });
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.text()).toMatch(
    /not ready \(cluster: the engine of the cluster cannot be reached, since .+, 2 records behind\)/,
  );
});
