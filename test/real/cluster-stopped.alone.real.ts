import { expect } from "bun:test";
import { startClients } from "./cluster/clients.ts";
import { compareNodes } from "./cluster/equality.ts";
import { longestPause } from "./cluster/ledger.ts";
import type { Node } from "./cluster/nodes.ts";
import { NEEDED, threeNodes } from "./cluster/three-nodes.ts";
import { NO_VIOLATIONS, rowsOf, violations } from "./cluster/violations.ts";
import { real, until } from "./support.ts";

const test = real(...NEEDED);

const STOPPED_MS = Number(process.env["CLUSTER_STOPPED_MS"] ?? 30_000);
const CLIENTS = 12;
const MAX_PAUSE_MS = 6000;
/** Others that get nothing done for so long wait for the turn of the node that is stopped. */
const WAITING_MS = 1000;
/** A write that was appended before is acknowledged by then. */
const IN_FLIGHT_MS = 250;
const MAX_TRIES = 200;

/** Stops a node again and again until the others wait for it. @returns when, and after how many tries */
const stopInItsTurn = async (node: Node, successes: readonly number[]) => {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    await Bun.sleep(20 + 50 * Math.random());
    node.stop();
    const at = performance.now();
    const othersWrite = () => (successes.at(-1) ?? 0) > at + IN_FLIGHT_MS;
    await until("others write or wait", () => othersWrite() || performance.now() > at + WAITING_MS);
    if (!othersWrite()) return { at, tries };
    node.continue();
  }
  throw new Error(`the node never had the turn when it was stopped, ${MAX_TRIES} times`);
};

test(`a node stopped for ${STOPPED_MS / 1000} s with the write lease delays the others by ${MAX_PAUSE_MS / 1000} s at most, and writes nothing without the lease when it continues`, async () => {
  const cluster = await threeNodes();
  const { nodes, service } = cluster;
  const [a, ...others] = nodes;
  const { ledger } = service;
  // What is acknowledged is one for all clients, when is not.
  const ledgerOfStopped = { ...ledger, successes: [] as number[] };
  const clients = [
    startClients({ ...service, urls: others.map(({ url }) => url) }, CLIENTS),
    startClients({ ...service, urls: [a.url], ledger: ledgerOfStopped }, CLIENTS),
  ];
  const { at, tries } = await stopInItsTurn(a, ledger.successes);
  await Bun.sleep(at + STOPPED_MS - performance.now());
  const pause = longestPause(ledger.successes, at, performance.now());
  a.continue();
  const continued = performance.now();
  const writes = () => (ledgerOfStopped.successes.at(-1) ?? 0) > continued;
  await until("the node that was stopped writes again", writes);
  const back = performance.now() - continued;
  await Promise.all(clients.map((each) => each.end()));

  const { differences, first } = await compareNodes(nodes);
  const acknowledged = ledger.acknowledged + ledgerOfStopped.acknowledged;
  console.log(
    `    ${acknowledged} acknowledged; stopped in its turn at try ${tries}: the others waited ${(pause / 1000).toFixed(2)} s; it wrote again ${(back / 1000).toFixed(2)} s after it went on`,
  );
  expect(violations(ledger, rowsOf(first))).toEqual(NO_VIOLATIONS);
  expect(differences).toEqual([]);
  expect(pause).toBeLessThanOrEqual(MAX_PAUSE_MS);
});
