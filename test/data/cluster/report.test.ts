import { expect, test } from "bun:test";
import { snapshotName, snapshotsOfLog } from "../../../src/data/cluster/snapshot-files.ts";
import { clusterProblems, type ClusterReport, readReport } from "../../../src/data/cluster/report.ts";
import type { NodeEntry } from "../../../src/data/cluster/nodes.ts";
import { MemoryEngine } from "../../support/memory-log.ts";

const LOG = "00000000-0000-4000-8000-000000000000";
const NOW = Date.UTC(2026, 10, 23);

const node = (id: string, values: Partial<NodeEntry> = {}): NodeEntry => ({
  id,
  name: `host-${id}`,
  version: "1.0.0",
  format: 1,
  position: 10,
  address: "http://localhost:3000",
  since: NOW,
  now: NOW,
  ...values,
});

const started = async () => {
  const engine = new MemoryEngine();
  const log = engine.open();
  const reference = JSON.stringify({
    store: "engine",
    name: snapshotName(snapshotsOfLog(LOG, LOG), 4, "a"),
    bytes: 4000,
    sha256: "0".repeat(64),
    compressed: 1000,
    madeAt: NOW,
  });
  await log.create({ log: LOG, position: 4, id: "first", checksum: "", reference });
  await log.claim("node/a", 1000, JSON.stringify(node("a")));
  await log.claim("snapshots", 1000, "a");
  return { engine, log };
};

test("a report has the engine, the end of the log, the nodes, the snapshot and the claims", async () => {
  const { log } = await started();
  expect(await readReport(log)).toMatchObject({
    engine: { version: "memory 1" },
    log: {
      head: { log: LOG, position: 4 },
      nodes: [{ id: "a" }],
      snapshot: { position: 4, bytes: 4000, compressed: 1000, madeAt: NOW, store: "engine" },
      claims: [{ name: "snapshots", node: "a" }],
    },
    problem: undefined,
  });
});

test("while the engine is unreachable, a report names the reason", async () => {
  const { engine, log } = await started();
  engine.isAvailable = false;
  const report = await readReport(log);
  expect(report).toMatchObject({ log: undefined, problem: "the engine in memory is not available" });
  const [first, ...others] = clusterProblems(report, NOW);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ isFailure: true });
  expect(first?.text).toContain(
    "cannot be used (the engine in memory is not available): which nodes run is unknown, and none can read or write",
  );
});

/** A cluster in which all is well, with changes. */
const reportOf = ({
  engine,
  log,
}: {
  engine?: Partial<ClusterReport["engine"]>;
  log?: Partial<NonNullable<ClusterReport["log"]>>;
}): ClusterReport => ({
  engine: {
    version: "etcd 3.4.23",
    members: ["a", "b", "c"].map((address) => ({ address, problem: undefined, isLeader: address === "a" })),
    bytes: 1000,
    ...engine,
  },
  log: {
    head: { log: LOG, position: 200_000, id: "last" },
    nodes: [node("a", { position: 200_000 }), node("b", { position: 199_000 })],
    snapshot: { position: 180_000, bytes: 1, compressed: 1, madeAt: NOW, store: "engine" },
    claims: [],
    ...log,
  },
  problem: undefined,
});

const textsOf = (changes: Parameters<typeof reportOf>[0]) =>
  clusterProblems(reportOf(changes), NOW).map(({ isFailure, text }) => (isFailure ? "failed: " : "") + text);

test("the problems of a healthy cluster are none", () => {
  expect(textsOf({})).toEqual([]);
});

test.each([
  [
    "a member that is down",
    {
      engine: {
        members: [
          { address: "a", problem: "timeout", isLeader: false },
          ...reportOf({}).engine.members.slice(1),
        ],
      },
    },
    /^The engine's member a cannot be used \(timeout\): the cluster works on, but repair it before another/,
  ],
  [
    "what the engine warns of",
    { engine: { advice: ["No standby is synchronous."] } },
    /^No standby is synchronous\.$/,
  ],
  [
    "etcd near its quota",
    { engine: { bytes: 1.7 * 2 ** 30 } },
    /^etcd stores 1\.7 of 2\.0 GiB, and refuses writes at its quota/,
  ],
  ["no log", { log: { head: undefined } }, /^failed: There is no log yet: .+ cluster join/],
  ["no node", { log: { nodes: [] } }, /^failed: No node runs/],
  [
    "nodes with different versions",
    {
      log: {
        nodes: [node("a", { position: 200_000 }), node("b", { position: 200_000, version: "1.1.0" })],
      },
    },
    /^The nodes run different versions \(1\.0\.0 on host-a; 1\.1\.0 on host-b\): finish the upgrade/,
  ],
  [
    "two nodes with other contents",
    {
      log: {
        nodes: ["a", "b"].map((id) =>
          node(id, { position: 200_000, contents: [{ position: 199_000, digest: `digest of ${id}` }] }),
        ),
      },
    },
    /^failed: host-a has other contents than host-b after record 199000, and no snapshot is made until all agree/,
  ],
  [
    "a node that lags",
    { log: { nodes: [node("a", { position: 180_000 })] } },
    /^Node host-a is 20,000 records behind/,
  ],
  [
    "a node whose clock is wrong",
    { log: { nodes: [node("a", { position: 200_000, now: NOW - 45_000 })] } },
    /^The clock of node host-a differs from this machine's by 45 seconds: let NTP set both/,
  ],
  [
    "a log that has grown long behind its snapshot",
    { log: { snapshot: { position: 90_000, bytes: 1, compressed: 1, madeAt: NOW, store: "engine" } } },
    /^The newest snapshot is 110,000 records behind/,
  ],
  [
    "a snapshot that is days old",
    {
      log: {
        snapshot: {
          position: 199_999,
          bytes: 1,
          compressed: 1,
          madeAt: NOW - 3 * 86_400_000,
          store: "engine",
        },
      },
    },
    /^The newest snapshot is 1 record behind and from 2026-11-20T/,
  ],
] satisfies [string, Parameters<typeof reportOf>[0], RegExp][])(
  "the problems of a cluster name %s",
  (_, changes, text) => {
    const texts = textsOf(changes);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toMatch(text);
  },
);

test("the problems of a cluster name every unreachable member, in addition to the failure of the engine", () => {
  const members = ["a", "b"].map((address) => ({ address, problem: "timeout", isLeader: false }));
  const report = { ...reportOf({ engine: { members } }), log: undefined, problem: "no majority" };
  expect(clusterProblems(report, NOW).map(({ text }) => text.replace(/\(.+/, ""))).toEqual([
    "The engine cannot be used ",
    "The engine's member a cannot be used ",
    "The engine's member b cannot be used ",
  ]);
});

test("the problems of a cluster do not name a PostgreSQL that stores much: it has no quota", () => {
  expect(textsOf({ engine: { version: "PostgreSQL 15.8", bytes: 2 ** 40 } })).toEqual([]);
});

test("the problems of a cluster do not name an old snapshot after which nothing was written", () => {
  const snapshot = { position: 200_000, bytes: 1, compressed: 1, madeAt: 0, store: "engine" } as const;
  expect(textsOf({ log: { snapshot } })).toEqual([]);
});

test.each([
  [
    3,
    ["a", "b"],
    "1 of 3 nodes of CLUSTER_NODES is not running (running: host-a, host-b): start it, or correct CLUSTER_NODES",
  ],
  [
    ["host-a", "host-c", "host-d"],
    ["a", "b"],
    "Nodes host-c, host-d of CLUSTER_NODES are not running (running: host-a, host-b): start them, or correct CLUSTER_NODES",
  ],
  [["host-b", "host-c"], [], "failed: No node runs: start the 2 nodes of CLUSTER_NODES"],
  [2, ["a", "b"], undefined],
  [["host-a", "host-b"], ["a", "b"], undefined],
] as const)("of the declared nodes %p, a missing one is reported: %p run", (declared, running, expected) => {
  const report = reportOf({ log: { nodes: running.map((name) => node(name, { position: 200_000 })) } });
  expect(
    clusterProblems(report, NOW, declared).map(({ isFailure, text }) => (isFailure ? "failed: " : "") + text),
  ).toEqual(expected === undefined ? [] : [expected]);
});

test("a report waits for nodes that announce themselves again after a restart of the engine", async () => {
  const { log } = await started();
  const claim = (await log.claims("node/")).get("node/a") ?? "";
  const empty = new MemoryEngine().open();
  await empty.create({
    log: LOG,
    position: 4,
    id: "first",
    checksum: "",
    reference: (await log.snapshot())?.reference ?? "",
  });
  setTimeout(() => void empty.claim("node/a", 1000, claim), 20);
  expect((await readReport(empty, 5000)).log?.nodes).toMatchObject([{ id: "a" }]);
});
