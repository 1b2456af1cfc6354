import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { kept, directory, real, until } from "./support.ts";

const test = real(...ETCD);

const NAMES = ["a", "b", "c"] as const;
/** A dead node's work is taken over within ten seconds; a busy machine has more time. */
const TAKE_OVER_MS = 20_000;

const openCluster = async (place: string) => {
  const etcd = kept(await startEtcd(1));
  const databaseUrl = etcd.url("one-node");
  const env = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "info",
    LOG_FORMAT: "json",
    STALE_LIMIT: "10s",
  };
  const nodes = NAMES.map((name) => kept(node({ place: join(place, name), env })));
  return { nodes, databaseUrl };
};

interface Session {
  cookie: string;
  csrfToken: string;
}

const signIn = async (url: string, key: string): Promise<Session> => {
  const response = await fetch(`${url}/console/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(201);
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  return { cookie, csrfToken };
};

const call = (url: string, { cookie, csrfToken }: Session, method: string, path: string): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    headers: { cookie, "x-csrf-token": csrfToken, "sec-fetch-site": "same-origin" },
  });

test("of three nodes that start together one creates the first key; a session and an Idempotency-Key are the same on all", async () => {
  const place = directory();
  const cluster = await openCluster(place);
  const { nodes } = cluster;
  await Promise.all(nodes.map((one) => one.start()));
  const holders = nodes.filter((one) => existsSync(join(one.place, "data", "admin.key")));
  expect(holders).toHaveLength(1);
  const key = holders[0]!.adminKey();
  const [a, b, c] = nodes.map(({ url }) => url) as [string, string, string];
  const keys = await fetch(`${c}/platform/keys`, { headers: { authorization: `Bearer ${key}` } });
  expect(await keys.json()).toHaveLength(1);

  // Signed in at one node, used immediately at another, and out at the third.
  const session = await signIn(a, key);
  expect((await call(b, session, "GET", "/console/api/v1/pets")).status).toBe(200);
  expect((await call(c, session, "DELETE", "/console/session")).status).toBe(204);
  for (const url of [a, b])
    expect((await call(url, session, "GET", "/console/api/v1/pets")).status).toBe(401);

  // The same request, sent to all nodes together, is executed once. It may still be in progress at the writer node.
  const add = (url: string, idempotencyKey: string) =>
    fetch(`${url}/v1/pets`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify({ name: "Bella", categoryId: 1 }),
    });
  for (let round = 0; round < 20; round++) {
    const responses = await Promise.all([a, b, c].map((url) => add(url, `round-${round}`)));
    const created = responses.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    for (const { status } of responses) expect([201, 409]).toContain(status);
    const bodies = await Promise.all(created.map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
  }
  const pets = await fetch(`${a}/v1/pets?limit=100`, { headers: { authorization: `Bearer ${key}` } });
  expect(await pets.json()).toHaveLength(20);
});

test("the work of a node that is killed is taken over by another, and sessions survive it", async () => {
  const place = directory();
  const cluster = await openCluster(place);
  const { nodes } = cluster;
  const [first, second] = nodes as [(typeof nodes)[number], (typeof nodes)[number]];
  await first.start();
  await second.start();
  const key = first.adminKey();
  const session = await signIn(first.url, key);
  const log = await openLog(parseDatabaseUrl(cluster.databaseUrl));
  const holder = async () => (await log.claims("work")).get("work");
  const idOf = ({ place: at }: typeof first) => readFileSync(join(at, "data", "node.id"), "utf8").trim();
  expect(await holder()).toBe(idOf(first));
  await first.kill();
  const since = performance.now();
  await until("it is taken over", async () => (await holder()) === idOf(second), TAKE_OVER_MS);
  console.log(`the work was taken over after ${Math.round(performance.now() - since)} ms`);
  await log.close();
  expect((await call(second.url, session, "GET", "/console/api/v1/pets")).status).toBe(200);
});
