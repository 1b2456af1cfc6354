import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { compareNodes } from "./cluster/equality.ts";
import { NEEDED as NETWORK } from "./cluster/namespace.ts";
import { ask, idOf, write } from "./cluster/retrying.ts";
import { createProject, deploy, visit } from "./cluster/site.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { NO_VIOLATIONS, rowsOf, violations } from "./cluster/violations.ts";
import { MAX_MS, real, until } from "./support.ts";

const test = real(...NEEDED, ...NETWORK);

const SITE = "site.localhost";
const CUT_MS = 15_000;
/** The default of STALE_LIMIT. */
const STALE_LIMIT_MS = 1000;
const MAX_CATCH_UP_MS = 10_000;

/** When the node at `url` was asked for its site, and what it answered, until `signal`. */
const visitAll = async (url: string, signal: AbortSignal) => {
  const visits: { at: number; status: number }[] = [];
  for (; !signal.aborted; await Bun.sleep(10)) {
    const at = performance.now();
    const { status } = await visit(url, SITE);
    visits.push({ at, status });
  }
  return visits;
};

test(`a node that cannot reach the engine answers no stale read, serves no site after STALE_LIMIT, and catches up within ${MAX_CATCH_UP_MS / 1000} s`, async () => {
  const cluster = await threeNodes({ isLastApart: true });
  const { nodes, service, cable } = cluster;
  const [a, b, c] = nodes;
  const { ledger } = service;
  await createProject(service);
  await deploy(service, a.url, { "index.html": "<h1>Site</h1>" });
  const isServed = async () => (await visit(c.url, SITE)).status === 200;
  await until("the node serves the site", isServed);

  const others = { ...service, urls: [a.url, b.url] };
  const clients = startClients(others, 8);
  const ended = new AbortController();
  const visiting = visitAll(c.url, ended.signal);
  const last = await write(
    others,
    { method: "POST", path: "/v1/pets", body: { name: "before", categoryId: 1 } },
    [201],
  );
  const path = `/v1/pets/${idOf(last)}`;
  const read = () => ask(service, c.url, { method: "GET", path });
  ledger.pets.set(idOf(last), { name: "before", status: null });

  await cable?.cut();
  const cut = performance.now();
  let answered = 0;
  for (let count = 0; performance.now() < cut + CUT_MS; count++) {
    const name = `during ${count}`;
    await write(others, { method: "PATCH", path, body: { name } }, [200]);
    ledger.pets.set(idOf(last), { name, status: null });
    const answer = await read();
    if (!answer) continue;
    answered++;
    if (answer.body["name"] !== name) ledger.surprises.push(`stale: ${answer.text}, after ${name}`);
  }
  const refusals = await fetch(`${c.url}${path}`, { headers: { authorization: `Bearer ${service.key}` } });
  const retryAfter = refusals.headers.get("retry-after");
  await cable?.heal();
  const healed = performance.now();
  await until("the node answers again", async () => (await read()) !== undefined, 4 * MAX_MS);
  const caughtUp = performance.now() - healed;
  await until("the node serves the site again", isServed);
  ended.abort();
  const visits = await visiting;
  await clients.end();

  const served = visits.filter(({ at, status }) => at > cut && at < healed && status === 200);
  const servedFor = Math.max(0, ...served.map(({ at }) => at - cut));
  const { differences, first } = await compareNodes(nodes);
  console.log(
    `    cut off for ${(CUT_MS / 1000).toFixed(0)} s: sites served for ${(servedFor / 1000).toFixed(2)} s, API reads answered: ${answered}; caught up in ${(caughtUp / 1000).toFixed(1)} s`,
  );
  expect(violations(ledger, rowsOf(first))).toEqual(NO_VIOLATIONS);
  expect([refusals.status, retryAfter]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(servedFor).toBeGreaterThan(0);
  expect(servedFor).toBeLessThanOrEqual(STALE_LIMIT_MS);
  expect(differences).toEqual([]);
  expect(caughtUp).toBeLessThanOrEqual(MAX_CATCH_UP_MS);
});
