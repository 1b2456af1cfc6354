import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { followerOf } from "./cluster/engine-members.ts";
import { compareNodes } from "./cluster/equality.ts";
import { longestPause } from "./cluster/ledger.ts";
import { NEEDED as NAMESPACE } from "./cluster/namespace.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { NO_VIOLATIONS, rowsOf, violations } from "./cluster/violations.ts";
import { real } from "./support.ts";

const test = real(...NEEDED, ...NAMESPACE, "nft");

const CLIENTS = 8;
const WORK_MS = 5000;
const LOSS = 0.05;
const MAX_PAUSE_MS = 3500;

test(`a node whose network loses ${LOSS * 100} % of the packets, and the death of two of five etcd members, lose no acknowledged write`, async () => {
  const { nodes, service, etcd, cable } = await threeNodes({ isLastApart: true, members: 5 });
  const lossy = nodes[2];
  // What is told to the clients of both groups is compared together, and when separately.
  const lossyLedger = { ...service.ledger, successes: [] };
  await cable?.lose(LOSS);
  const begun = performance.now();
  const clients = [
    startClients({ ...service, urls: service.urls.slice(0, 2) }, CLIENTS),
    startClients({ ...service, urls: [lossy.url], ledger: lossyLedger }, CLIENTS),
  ];
  await Bun.sleep(WORK_MS);
  for (let dead = 0; dead < 2; dead++) await (await followerOf(etcd)).kill();
  await Bun.sleep(WORK_MS);
  const ended = performance.now();
  await Promise.all(clients.map((group) => group.end()));

  const { differences, first } = await compareNodes(nodes);
  expect(differences).toEqual([]);
  expect(violations(service.ledger, rowsOf(first))).toEqual(NO_VIOLATIONS);
  for (const ledger of [service.ledger, lossyLedger]) {
    const pause = longestPause(ledger.successes, begun, ended);
    console.log(
      `    ${ledger.acknowledged} writes acknowledged, longest pause ${(pause / 1000).toFixed(2)} s`,
    );
    expect(pause).toBeLessThan(MAX_PAUSE_MS);
  }
  const lost = (await cable?.lost()) ?? 0;
  console.log(`    ${lost} packets lost`);
  expect(lost).toBeGreaterThan(0);
});
