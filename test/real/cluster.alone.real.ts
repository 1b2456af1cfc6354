import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { followerOf, leaderOf } from "./cluster/engine-members.ts";
import { compareNodes } from "./cluster/equality.ts";
import { type Kill, describePauses, killEach } from "./cluster/kills.ts";
import { countRows } from "./cluster/tables.ts";
import { type Cluster, NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { NO_VIOLATIONS, rowsOf, violations } from "./cluster/violations.ts";
import { real } from "./support.ts";

const test = real(...NEEDED);

const KILLS = Number(process.env["CLUSTER_KILLS"] ?? 20);
const CLIENTS = 24;
/** How long the whole service may be without an acknowledged write when something is killed. */
const MAX_PAUSE_MS = 3500;

/** What is killed in turn. */
const killsOf = ({ etcd, nodes }: Cluster): readonly (() => Promise<Kill>)[] => {
  let turn = 0;
  const anyNode = () => nodes[turn++ % nodes.length] ?? nodes[0];
  return [
    async () => ({ what: "engine's leader", victims: [await leaderOf(etcd)] }),
    async () => ({ what: "node", victims: [anyNode()] }),
    async () => ({ what: "engine's leader and a node", victims: [await leaderOf(etcd), anyNode()] }),
    async () => ({ what: "engine's follower", victims: [await followerOf(etcd)] }),
  ];
};

test(`${KILLS} kills of engine members and nodes under ${CLIENTS} clients lose nothing that was acknowledged, and all nodes end up with equal tables`, async () => {
  const cluster = await threeNodes();
  const { nodes, service, empty } = cluster;
  const clients = startClients(service, CLIENTS);
  const kinds = killsOf(cluster);
  const kills = Array.from(
    { length: KILLS },
    (_, index) => kinds[index % kinds.length] as () => Promise<Kill>,
  );
  const pauses = await killEach(service.ledger, kills);
  await clients.end();

  const begun = performance.now();
  await empty.start();
  const { differences, first, position } = await compareNodes([...nodes, empty]);
  const took = performance.now() - begun;
  const found = violations(service.ledger, rowsOf(first));
  const { acknowledged, retries, reads } = service.ledger;
  console.log(
    [
      `    ${acknowledged} writes acknowledged, ${found.lost.length === 0 ? 0 : `at least ${found.lost.length}`} lost, ${retries} sent again, ${reads} reads at another node`,
      `    ${countRows(first)} rows at position ${position}, equal on a node started empty after ${(took / 1000).toFixed(1)} s`,
      ...describePauses(pauses).map((line) => `    ${line}`),
    ].join("\n"),
  );
  expect(found).toEqual(NO_VIOLATIONS);
  expect(differences).toEqual([]);
  expect(Math.max(...pauses.map(({ ms }) => ms))).toBeLessThanOrEqual(MAX_PAUSE_MS);
}, 900_000);
