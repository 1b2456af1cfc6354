import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildChecker } from "./cluster/checker.ts";
import { followerOf, leaderOf } from "./cluster/engine-members.ts";
import { CLIENTS, expectLinearizable, killMeanwhile, startHistory } from "./cluster/histories.ts";
import type { Victim } from "./cluster/kills.ts";
import type { Node } from "./cluster/recorder.ts";
import { buildStaleProgram } from "./cluster/stale-program.ts";
import { type Cluster, NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { directory, real, serve } from "./support.ts";

const test = real("go");
const inCluster = real("go", ...NEEDED);

const OPERATIONS = 20_000;
const KILLS = 20;

test("porcupine refuses a stale read, a lost write, an id that is given twice and two orders for one animal", async () => {
  const place = directory();
  const check = await buildChecker(place);
  const added = { kind: "add", animal: 1, name: "a", status: "available", call: 1, return: 2, code: 201 };
  const renamed = { kind: "patch", animal: 1, name: "b", call: 3, return: 4, code: 200 };
  const read = (name: string, status = "available") => ({
    kind: "get",
    animal: 1,
    call: 5,
    return: 6,
    code: 200,
    seen: { name, status },
  });
  const placed = { kind: "order", animal: 1, call: 3, return: 4, code: 201, placed: 7 };
  const { return: _, code: __, ...unanswered } = renamed;
  const histories: [name: string, lines: object[], isFine: boolean][] = [
    ["a read after a write", [added, renamed, read("b")], true],
    ["a stale read", [added, renamed, read("a")], false],
    ["a write whose response was lost, done", [added, unanswered, read("b")], true],
    ["a write whose response was lost, not done", [added, unanswered, read("a")], true],
    ["an animal that was never added", [renamed], false],
    ["an id that is given twice", [added, { ...added, call: 3, return: 4 }], false],
    ["one order", [added, placed, read("a", "pending")], true],
    ["two orders", [added, placed, { ...placed, placed: 8 }], false],
    [
      "two orders, one of them cancelled between",
      [
        added,
        placed,
        { kind: "cancel", animal: 1, order: 7, call: 3, return: 4, code: 200 },
        { ...placed, placed: 8 },
      ],
      true,
    ],
  ];
  for (const [name, lines, isFine] of histories) {
    const path = join(place, "made.jsonl");
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect([name, (await check(path)).anomalies.length === 0]).toEqual([name, isFine]);
  }
});

test(`${OPERATIONS} operations of ${CLIENTS} clients on one machine are linearizable`, async () => {
  const server = await serve({ env: { LOG_LEVEL: "silent" } });
  await expectLinearizable(await startHistory(server.cwd, [server], OPERATIONS));
});

/** Kills engine members and nodes, one kind after the other. */
const killsOf = ({ etcd, nodes }: Cluster) => {
  const kinds = [
    async () => [await leaderOf(etcd)],
    async (node: Victim) => [node],
    async () => [await followerOf(etcd)],
    async (node: Victim) => [await leaderOf(etcd), node],
  ];
  return Array.from(
    { length: KILLS },
    (_, index) => () =>
      (kinds[index % kinds.length] as (typeof kinds)[0])(nodes[index % nodes.length] as Victim),
  );
};

const clusterNodes = ({ nodes, service: { key } }: Cluster): Node[] => nodes.map(({ url }) => ({ url, key }));

inCluster(
  `${OPERATIONS} operations of ${CLIENTS} clients on three nodes are linearizable while engine members and nodes are killed ${KILLS} times`,
  async () => {
    const place = directory();
    const cluster = await threeNodes();
    const history = await startHistory(place, clusterNodes(cluster), OPERATIONS);
    await killMeanwhile(history, killsOf(cluster));
    await expectLinearizable(history);
  },
  600_000,
);

inCluster(
  "porcupine finds the anomalies of a program whose reads of a replica wait for nothing",
  async () => {
    const place = directory();
    const program = await buildStaleProgram(place);
    const cluster = await threeNodes({ program });
    const history = await startHistory(place, clusterNodes(cluster), 5000);
    const { explanation, anomalies } = await history.verdict();
    console.log(`    ${anomalies.length} animals with anomalies; the first:\n${explanation.slice(0, 2000)}`);
    expect(anomalies.length).toBeGreaterThan(0);
  },
  300_000,
);
