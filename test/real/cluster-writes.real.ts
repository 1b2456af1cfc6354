import { expect } from "bun:test";
import { join } from "node:path";
import { delay } from "./cluster/delay.ts";
import { compareNodes } from "./cluster/equality.ts";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { POSTGRES, startPostgres } from "./postgres.ts";
import { directory, kept, real, until } from "./support.ts";

/** Milliseconds in each direction between a node and the engine: `DELAYS=6,50,200` measures more. */
const DELAYS = (process.env["DELAYS"] ?? "50").split(",").map(Number);
/** How long each measurement takes. */
const MEASURED_MS = Number(process.env["MEASURED_MS"] ?? 2000);
const WRITERS = 32;

const post = async ({ url }: Node, key: string, name = "Bella") => {
  const response = await fetch(`${url}/v1/pets`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  return { status: response.status, text: await response.text() };
};

/** Adds animals at the nodes in turn. @returns the statuses, and the times of requests in milliseconds, ascending */
const write = async (nodes: readonly Node[], key: string, writers: number, ms: number) => {
  const statuses = new Set<number>();
  const times: number[] = [];
  const end = performance.now() + ms;
  const one = async (at: Node) => {
    while (performance.now() < end) {
      const since = performance.now();
      statuses.add((await post(at, key)).status);
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, index) => one(nodes[index % nodes.length] as Node)));
  return { statuses: [...statuses], times: times.toSorted((a, b) => a - b) };
};

const counterOf = async ({ url }: Node, key: string, name: string): Promise<number> => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  return Number(new RegExp(`^\\w*${name} ([0-9]+)`, "m").exec(await response.text())?.[1]);
};

/** How many requests other nodes have carried out for each. */
const forwarded = (nodes: readonly Node[], key: string) =>
  Promise.all(nodes.map((each) => counterOf(each, key, "cluster_forwarded_writes_total")));

const appendsOf = (nodes: readonly Node[], key: string) =>
  Promise.all(nodes.map((each) => counterOf(each, key, "cluster_appends_total")));

/** Nodes over an engine. The first one is the writer. */
const startNodes = async (url: string, count: number) => {
  const place = directory();
  const env = { DATABASE_URL: url, LOG_LEVEL: "info" };
  const nodes = Array.from({ length: count }, (_, index) =>
    kept(node({ place: join(place, `${index}`), env })),
  );
  for (const each of nodes) await each.start();
  const [first, ...others] = nodes;
  const key = first?.adminKey() ?? "";
  const isForwarding = async (each: Node) =>
    (await post(each, key)).status === 201 &&
    (await counterOf(each, key, "cluster_forwarded_writes_total")) > 0;
  for (const each of others) await until(`${each.url} sends its writes on`, () => isForwarding(each));
  return { nodes, key };
};

const ENGINES = {
  etcd: {
    programs: ETCD,
    start: () => startEtcd(1),
    ping: (_: string, port: number) => () =>
      fetch(`http://127.0.0.1:${port}/version`).then((found) => found.text()),
  },
  PostgreSQL: {
    programs: POSTGRES,
    start: startPostgres,
    ping(url: string) {
      const sql = new Bun.SQL(url.replace(/\?.*/, ""), { max: 1 });
      return () => sql`SELECT 1`;
    },
  },
};

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** What a request that does nothing takes, with the delay of the relay. */
const roundTrip = async (ping: () => PromiseLike<unknown>): Promise<number> => {
  await ping();
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    const since = performance.now();
    await ping();
    times.push(performance.now() - since);
  }
  return median(times);
};

for (const [name, { programs, start, ping }] of Object.entries(ENGINES))
  for (const ms of DELAYS)
    real(...programs)(
      `with ${ms} ms to ${name}, one of three nodes is the writer, and writes about as much as one node alone`,
      async () => {
        const rates: number[] = [];
        for (const count of [1, 3]) {
          const engine = kept(await start());
          const direct = engine.url("writes");
          const { port } = new URL(direct);
          const far = kept(await delay(Number(port), ms));
          const url = direct.replace(`:${port}`, `:${far.port}`);
          const trip = await roundTrip(ping(url, far.port));
          const { nodes, key } = await startNodes(url, count);
          const before = { appends: await appendsOf(nodes, key), forwarded: await forwarded(nodes, key) };
          const many = await write(nodes, key, WRITERS, MEASURED_MS);
          expect(many.statuses).toEqual([201]);
          const single = await write(nodes.slice(-1), key, 1, MEASURED_MS);
          expect(single.statuses).toEqual([201]);
          const appends = (await appendsOf(nodes, key)).map((total, at) => total - (before.appends[at] ?? 0));
          const sent = (await forwarded(nodes, key)).map((total, at) => total - (before.forwarded[at] ?? 0));
          const expected = many.times.length * (1 - 1 / count) + (count > 1 ? single.times.length : 0);
          const total = sent.reduce((sum, one) => sum + one, 0);
          expect([total > 0.8 * expected, total <= expected + WRITERS]).toEqual([count > 1, true]);
          // A node may save the last use of a key meanwhile.
          for (const own of appends.slice(1)) expect(own).toBeLessThan(10);
          const time = median(single.times);
          rates.push(many.times.length / (MEASURED_MS / 1000));
          console.log(
            `    ${count} of ${name} at ${ms} ms: ${rates.at(-1)?.toFixed(0)}/s of ${WRITERS} writers; one client ${time.toFixed(1)} ms, ${(time / trip).toFixed(2)} round trips of ${trip.toFixed(1)} ms`,
          );
          for (const each of nodes) await each.kill();
        }
        console.log(`    three nodes write ${((rates[1] ?? 0) / (rates[0] ?? 1)).toFixed(2)} of one`);
      },
      240_000,
    );

real(...ETCD)(
  "when the writer node is killed or suspended, the others write, and lose and double nothing",
  async () => {
    const engine = kept(await startEtcd(1));
    const { nodes, key } = await startNodes(engine.url("writes"), 3);
    const [holder, ...others] = nodes as [Node, ...Node[]];
    const confirmed: string[] = [];
    let [last, longest] = [performance.now(), 0];
    const confirm = (name: string) => {
      confirmed.push(name);
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    };
    const unknown: string[] = [];
    const over = new AbortController();
    let count = 0;
    const client = async (at: Node) => {
      while (!over.signal.aborted) {
        const name = `Animal ${++count}`;
        const { status, text } = await post(at, key, name);
        if (status === 201) confirm(name);
        else {
          expect([status, JSON.parse(text)]).toMatchObject([503, { code: "outcome_unknown" }]);
          unknown.push(name);
        }
      }
    };
    const clients = others.map(client);
    const hasGrown = async (what: string) => {
      const before = confirmed.length;
      await until(`writes continue ${what}`, () => confirmed.length > before + 50);
    };
    await hasGrown("at first");
    holder.stop();
    await hasGrown("while it is suspended");
    holder.continue();
    await hasGrown("after it resumes");
    await holder.kill();
    await hasGrown("after it was killed");
    await holder.start();
    await hasGrown("after its restart");
    over.abort();
    await Promise.all(clients);
    const { differences, first } = await compareNodes(nodes);
    expect(differences).toEqual([]);
    const found = first.query("SELECT name FROM pets WHERE name <> 'Bella'").values().flat();
    expect(confirmed.filter((name) => !found.includes(name))).toEqual([]);
    expect(found.length).toBe(new Set(found).size);
    expect(unknown.length).toBeLessThan(20);
    console.log(
      `    ${confirmed.length} confirmed, ${unknown.length} unknown, longest pause ${longest.toFixed(0)} ms`,
    );
  },
  120_000,
);
