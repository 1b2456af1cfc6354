import { expect } from "bun:test";
import { join } from "node:path";
import { startClients } from "./cluster/clients.ts";
import { compareNodes } from "./cluster/equality.ts";
import { expectLinearizable, killMeanwhile, startHistory } from "./cluster/histories.ts";
import { type Kill, describePauses, killEach } from "./cluster/kills.ts";
import { newLedger } from "./cluster/ledger.ts";
import { type Node, node } from "./cluster/nodes.ts";
import { postgresPair } from "./cluster/postgres-pair.ts";
import { ask } from "./cluster/retrying.ts";
import { countRows } from "./cluster/tables.ts";
import { NO_VIOLATIONS, rowsOf, violations } from "./cluster/violations.ts";
import { POSTGRES } from "./postgres.ts";
import { kept, directory, real, until } from "./support.ts";

const test = real(...POSTGRES);
const withPorcupine = real(...POSTGRES, "go");

const CLIENTS = 24;
const FAILOVERS = 3;
const OPERATIONS = 8000;
const REBUILD_MS = 30_000;
/** Nightly: CRASHES=20. */
const CRASHES = Number(process.env["CRASHES"] ?? 2);
const OPERATIONS_PER_CRASH = 400;
/** Longer than a node tries to append. */
const REPEAT_MS = 7000;
/** Nodes that still wait for a lost record do five operations per second. */
const WORK_MS = 20_000;

/** Three nodes, and one that is not started. */
const startNodes = async (place: string, url: string) => {
  const [a, b, c, empty] = ["a", "b", "c", "empty"].map((name) =>
    kept(node({ place: join(place, name), env: { DATABASE_URL: url } })),
  ) as [Node, Node, Node, Node];
  await a.start();
  await Promise.all([b.start(), c.start()]);
  return { nodes: [a, b, c] as const, empty, key: a.adminKey() };
};

test(`${FAILOVERS} primaries killed with -9, and a node with each, lose nothing that was acknowledged once the synchronous standby is promoted`, async () => {
  const place = directory();
  const postgres = await postgresPair();
  const cluster = await startNodes(place, postgres.url("adoption-store"));
  const { nodes, key, empty } = cluster;
  const ledger = newLedger();
  const clients = startClients({ urls: nodes.map(({ url }) => url), key, ledger }, CLIENTS);
  const primary = { kill: postgres.kill, start: postgres.failOver };
  const kills = Array.from({ length: FAILOVERS }, (_, index): (() => Promise<Kill>)[] => [
    async () => ({ what: "primary", victims: [primary] }),
    async () => ({ what: "node", victims: [nodes[index % nodes.length] as Node] }),
  ]).flat();
  const pauses = await killEach(ledger, kills);
  await clients.end();

  await empty.start();
  const { differences, first, position } = await compareNodes([...nodes, empty]);
  const found = violations(ledger, rowsOf(first));
  console.log(
    [
      `    ${ledger.acknowledged} writes acknowledged, ${found.lost.length} lost, ${ledger.retries} sent again, ${ledger.reads} reads at another node`,
      `    ${countRows(first)} rows at position ${position}, equal on a node that was started empty`,
      ...describePauses(pauses).map((line) => `    ${line}`),
    ].join("\n"),
  );
  expect(found).toEqual(NO_VIOLATIONS);
  expect(differences).toEqual([]);
}, 600_000);

withPorcupine(
  `${OPERATIONS} operations on three nodes are linearizable while ${FAILOVERS} primaries and nodes are killed`,
  async () => {
    const place = directory();
    const postgres = await postgresPair();
    const cluster = await startNodes(place, postgres.url("adoption-store"));
    const { nodes, key } = cluster;
    const history = await startHistory(
      place,
      nodes.map(({ url }) => ({ url, key })),
      OPERATIONS,
    );
    const primary = { kill: postgres.kill, start: postgres.failOver };
    const kills = nodes.slice(0, FAILOVERS).map((each) => async () => [primary, each]);
    await killMeanwhile(history, kills);
    await expectLinearizable(history);
  },
  600_000,
);

withPorcupine(
  `operations on three nodes are linearizable over ${CRASHES} rounds of a crash restart or cut off commits, each followed by a failover`,
  async () => {
    const place = directory();
    const postgres = await postgresPair();
    const { nodes, key } = await startNodes(place, postgres.url("adoption-store"));
    const targets = nodes.map(({ url }) => ({ url, key }));
    const history = await startHistory(place, targets, Infinity);
    const { figures } = history;
    const work = async () => {
      const end = figures.operations + OPERATIONS_PER_CRASH;
      const isDone = () => figures.operations >= end;
      await until(`nodes do ${OPERATIONS_PER_CRASH} operations`, isDone, WORK_MS);
    };
    /** Clients have time to repeat the writes whose outcome was unknown, before the server that may have them alone is lost. */
    const failOver = async (resume: () => Promise<void>) => {
      await Bun.sleep(REPEAT_MS);
      await postgres.kill();
      await resume();
      await postgres.failOver();
    };
    const kinds = [
      { kill: postgres.crash, start: () => failOver(() => postgres.standby().restart()) },
      { kill: postgres.cutOff, start: () => failOver(async () => postgres.standby().resume()) },
    ];
    for (let round = 0; round < CRASHES; round++) {
      const { kill, start } = kinds[round % kinds.length] as (typeof kinds)[number];
      await work();
      await kill();
      await start();
    }
    await work();
    history.end();
    await expectLinearizable({ ...history, operations: CRASHES * OPERATIONS_PER_CRASH });
  },
  600_000,
);

test("a write that only a restarted primary has is confirmed by no node, and not lost when it is repeated after a failover", async () => {
  const place = directory();
  const postgres = await postgresPair();
  const { nodes, key } = await startNodes(place, postgres.url("adoption-store"));
  const send = async (url: string, more: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(more.headers as Record<string, string>) };
    const response = await fetch(`${url}/v1/pets`, { ...more, headers, signal: AbortSignal.timeout(15_000) });
    return { status: response.status, text: await response.text() };
  };
  const add = (url: string, name: string) =>
    send(url, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": name },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
  const everywhere = <Result>(act: (url: string) => Promise<Result>) =>
    Promise.all(nodes.map(({ url }) => act(url)));
  expect(await add(nodes[0].url, "kept")).toMatchObject({ status: 201 });
  await postgres.standby().kill();
  const { status, text } = await add(nodes[0].url, "K1");
  expect([status, text]).toEqual([503, expect.stringContaining("outcome_unknown")]);
  await postgres.kill();
  await postgres.primary().restart();
  for (const repeated of await everywhere((url) => add(url, "K1"))) expect(repeated.status).toBe(503);
  for (const read of await everywhere(send)) expect(read.text).not.toContain("K1");

  await postgres.kill();
  await postgres.standby().restart();
  await postgres.failOver();
  const isAdded = async () => (await add(nodes[1].url, "K1")).status === 201;
  await until("the repeated request adds the animal", isAdded, REBUILD_MS);
  for (const read of await everywhere(send))
    expect(JSON.parse(read.text)).toMatchObject([{ name: "kept" }, { name: "K1" }]);
});

test("a record that only the old primary had is detected by its id, and the node that has it rebuilds itself from the snapshot", async () => {
  const place = directory();
  const postgres = await postgresPair();
  const cluster = await startNodes(place, postgres.url("adoption-store"));
  const {
    nodes: [a, b, c],
    key,
  } = cluster;
  /** Adds an animal once, and tries again for as long as the node waits for the engine, or for the write lease. */
  const add = async ({ url }: Node, name: string): Promise<number> => {
    const call = { method: "POST", path: "/v1/pets", body: { name, categoryId: 1 }, idempotencyKey: name };
    let id: number | undefined;
    const isAdded = async () => {
      const settled = await ask({ key }, url, call);
      if (settled?.status === 201) id = Number(settled.body["id"]);
      return id !== undefined;
    };
    await until(`the animal ${name} is added`, isAdded, REBUILD_MS);
    return id ?? 0;
  };
  const namesAt = async ({ url }: Node): Promise<string[]> => {
    const settled = await ask({ key }, url, { method: "GET", path: "/v1/pets" });
    return settled?.status === 200
      ? (JSON.parse(settled.text) as { name: string }[]).map(({ name }) => name)
      : [];
  };
  expect(await add(b, "kept")).toBe(1);
  expect(await namesAt(a)).toEqual(["kept"]);

  // An operator's mistake: the primary does not wait for its standby, which is down.
  await postgres.primary().configure(["synchronous_standby_names = ''"]);
  await postgres.standby().kill();
  for (const other of [b, c]) other.stop();
  expect(await add(a, "lost")).toBe(2);
  a.stop();
  await postgres.kill();
  await postgres.standby().restart();
  await postgres.failOver();
  for (const other of [b, c]) other.continue();

  // The id of an animal that the engine has lost is free. The log now has another record at the position of the first node.
  expect(await add(b, "after")).toBe(2);
  a.continue();
  const begun = performance.now();
  await until("the node is ready again", async () => (await namesAt(a)).includes("after"), REBUILD_MS);
  const took = performance.now() - begun;
  for (const each of [a, b, c]) expect(await namesAt(each)).toEqual(["kept", "after"]);
  expect(await add(a, "rebuilt")).toBe(3);
  const { differences } = await compareNodes([a, b, c]);
  expect(differences).toEqual([]);
  // The second, if the others appended one more record before this node asked for the end of the log.
  expect(a.output()).toMatch(
    /of the log is not the replica's|record \d+ follows \S+, but the replica is at \d+ with/,
  );
  console.log(`    the node serves again after ${(took / 1000).toFixed(1)} s`);
});
