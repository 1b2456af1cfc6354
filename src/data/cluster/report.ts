import { parseTarget, WRITES_CLAIM } from "./write-holder.ts";
import { quantity } from "../../lib/quantity.ts";
import { reasonOf } from "../../lib/reason.ts";
import { DAY_MS } from "../../lib/time.ts";
import { type EngineHealth, EngineUnavailable, type Log, type Snapshot } from "./log.ts";
import { type DeclaredNodes, type NodeEntry, missingNodes, readNodes } from "./nodes.ts";
import { parseReference } from "./snapshot-files.ts";

export interface ClusterProblem {
  readonly isFailure: boolean;
  readonly text: string;
}

/** Nodes report their position every two seconds, in which a busy cluster appends thousands of records. */
const MAX_LAG = 10_000;
/** A node's report is at most as old as its lease, which is 10 s. */
const MAX_SKEW_MS = 30_000;
/** Twice the limits at which a snapshot is due. */
const MAX_RECORDS_BEHIND = 100_000;
const MAX_AGE_MS = 2 * DAY_MS;
/** etcd's `--quota-backend-bytes`, unless it is set. */
const DEFAULT_QUOTA = 2 * 2 ** 30;
const MAX_SHARE = 0.8;
const GIBIBYTE = 2 ** 30;

const failure = (text: string): ClusterProblem => ({ isFailure: true, text });
const warning = (text: string): ClusterProblem => ({ isFailure: false, text });

const memberProblems = ({ members }: EngineHealth): string[] => {
  const broken = members.filter(({ problem }) => problem !== undefined);
  const isMajority = broken.length * 2 < members.length;
  const advice = isMajority ? "the cluster works on, but repair it before another one fails" : "repair it";
  return broken.map(
    ({ address, problem }) => `The engine's member ${address} cannot be used (${problem}): ${advice}`,
  );
};

/** Frees space in this order: a compaction releases pages, a defragmentation returns them, and only then the alarm may end. */
const spaceCommands = ({ members }: EngineHealth): string => {
  const all = members.map(({ address }) => address).join(",");
  return [
    `etcdctl --endpoints=${members[0]?.address} compact $(etcdctl --endpoints=${members[0]?.address} endpoint status --write-out=fields | sed -n 's/^"Revision" : //p')`,
    ...members.map(({ address }) => `etcdctl --endpoints=${address} defrag`),
    `etcdctl --endpoints=${all} alarm disarm`,
  ].join("; ");
};

/** etcd refuses all writes when it reaches its quota. */
const storageProblems = (engine: EngineHealth): ClusterProblem[] => {
  const { version, bytes = 0, quota = DEFAULT_QUOTA, isFull } = engine;
  if (!version?.startsWith("etcd")) return [];
  const sizes = `${(bytes / GIBIBYTE).toFixed(1)} of ${(quota / GIBIBYTE).toFixed(1)} GiB`;
  const remedy = `Run, with the options of TLS and user that your members require: ${spaceCommands(engine)}. If that frees too little, set a larger --quota-backend-bytes on all members`;
  if (isFull) return [failure(`etcd is full (${sizes}) and refuses writes. ${remedy}`)];
  return bytes >= quota * MAX_SHARE
    ? [warning(`etcd stores ${sizes}, and refuses writes at its quota. ${remedy}`)]
    : [];
};

const versionProblems = (nodes: readonly NodeEntry[]): string[] => {
  const versions = Map.groupBy(nodes, ({ version }) => version);
  if (versions.size < 2) return [];
  const list = [...versions].map(
    ([version, running]) => `${version} on ${running.map(({ name }) => name).join(", ")}`,
  );
  return [`The nodes run different versions (${list.join("; ")}): finish the upgrade`];
};

/** Nodes at the same position with other contents. Of two nodes, the program cannot know which is right. */
const contentProblems = (nodes: readonly NodeEntry[]): ClusterProblem[] => {
  const shown = nodes.flatMap(({ name, contents = [] }) => contents.map((content) => ({ name, ...content })));
  // A difference at an earlier position may have been settled.
  const [newest] = [...Map.groupBy(shown, ({ position }) => position)]
    .filter(([, same]) => same.length > 1)
    .toSorted(([a], [b]) => b - a);
  const groups = [...Map.groupBy(newest?.[1] ?? [], ({ digest }) => digest).values()];
  if (newest === undefined || groups.length < 2) return [];
  const names = groups.map((group) => group.map(({ name }) => name).join(" and "));
  return [
    failure(
      `${names.join(" has other contents than ")} after record ${newest[0]}, and no snapshot is made until all agree: compare them, stop the node that is wrong, move its database out of DATA_DIR, and start it again; a node that a majority contradicts does this on its own`,
    ),
  ];
};

const lagProblems = (nodes: readonly NodeEntry[], head: number): string[] =>
  nodes
    .filter(({ position }) => head - position > MAX_LAG)
    .map(
      ({ name, position }) =>
        `Node ${name} is ${quantity(head - position, "record")} behind: look at its log, and at its CPU and disk`,
    );

/** Certificates, sessions and the ends of keys are judged by the clock of the node that is asked. */
const clockProblems = (nodes: readonly NodeEntry[], now: number): string[] =>
  nodes
    .map((node) => ({ name: node.name, skewMs: Math.abs(node.now - now) }))
    .filter(({ skewMs }) => skewMs > MAX_SKEW_MS)
    .map(
      ({ name, skewMs }) =>
        `The clock of node ${name} differs from this machine's by ${quantity(Math.round(skewMs / 1000), "second")}: let NTP set both`,
    );

const snapshotProblems = (snapshot: LogReport["snapshot"], head: number, now: number): string[] => {
  if (!snapshot) return [];
  const records = head - snapshot.position;
  const isOld = records > 0 && now - snapshot.madeAt > MAX_AGE_MS;
  return isOld || records > MAX_RECORDS_BEHIND
    ? [
        `The newest snapshot is ${quantity(records, "record")} behind and from ${new Date(snapshot.madeAt).toISOString()}: the log grows until a node makes another one; look at the logs of the nodes`,
      ]
    : [];
};

/** The problems of a cluster, failures first. */
export const clusterProblems = (
  { engine, log, problem }: ClusterReport,
  now: number,
  declared?: DeclaredNodes,
): ClusterProblem[] => {
  const ofEngine = [...memberProblems(engine), ...(engine.advice ?? [])];
  const storage = storageProblems(engine);
  if (!log)
    return [
      failure(
        `The engine cannot be used (${problem}): which nodes run is unknown, and none can read or write; sites continue for STALE_LIMIT. Check DATABASE_URL, the network, and the engine`,
      ),
      // The only member's own problem would repeat this.
      ...(engine.members.length > 1 ? ofEngine : []).map(warning),
    ];
  const { head, nodes, snapshot } = log;
  if (!head)
    return [
      failure(
        "There is no log yet: start a server with this DATABASE_URL, or run adoption-store cluster join; if the engine has lost the log, run cluster join on the node that was last up to date",
      ),
      ...ofEngine.map(warning),
    ];
  const missing = missingNodes(declared, nodes);
  const warnings = [
    ...ofEngine,
    ...(missing && nodes.length > 0 ? [missing.text] : []),
    ...versionProblems(nodes),
    ...lagProblems(nodes, head.position),
    ...clockProblems(nodes, now),
    ...snapshotProblems(snapshot, head.position, now),
  ];
  return [
    ...(nodes.length === 0
      ? [
          failure(
            `No node runs: start ${missing ? `the ${quantity(missing.count, "node")} of CLUSTER_NODES` : "a server with this DATABASE_URL"}`,
          ),
        ]
      : []),
    ...contentProblems(nodes),
    ...storage,
    ...warnings.map(warning),
  ];
};

/** A cluster as its engine knows it. */
export type ClusterReport = Awaited<ReturnType<typeof readReport>>;

type LogReport = Awaited<ReturnType<typeof readLog>>;

/** Work that one node does, by the name of its claim. */
export type ReportedClaim = LogReport["claims"][number];

const NODE_CLAIM = /^node\//;

/** A snapshot, and the available facts about its parts. */
const reported = (snapshot: Snapshot | undefined) => {
  if (!snapshot) return undefined;
  const { store, bytes, compressed, madeAt } = parseReference(snapshot.reference);
  return { position: snapshot.position, store, bytes, compressed, madeAt };
};

const RETRY_MS = 500;

/** The running nodes. After a restart of the engine, they need a few seconds to announce themselves again. */
const awaitNodes = async (log: Log, waitMs: number): Promise<NodeEntry[]> => {
  for (const end = performance.now() + waitMs; ; await Bun.sleep(RETRY_MS)) {
    const nodes = await readNodes(log);
    if (nodes.length > 0 || performance.now() >= end || !(await log.head())) return nodes;
  }
};

const readLog = async (log: Log, waitMs: number) => {
  const [head, nodes, snapshot, claims] = await Promise.all([
    log.head(),
    awaitNodes(log, waitMs),
    log.snapshot(),
    log.claims(""),
  ]);
  return {
    head,
    nodes,
    snapshot: reported(snapshot),
    claims: [...claims]
      .filter(([name]) => !NODE_CLAIM.test(name))
      .map(([name, value]) => ({
        name,
        node: name === WRITES_CLAIM ? (parseTarget(value)?.node ?? "") : value,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
};

/**
 * Asks the engine for all data about a cluster. It does not throw if the engine is unreachable.
 * @param waitMs how long to wait for a first node
 */
export const readReport = async (log: Log, waitMs = 0) => {
  const [engine, known] = await Promise.all([
    log.health(),
    readLog(log, waitMs).catch((error: unknown) => {
      if (error instanceof EngineUnavailable) return reasonOf(error);
      throw error;
    }),
  ]);
  return typeof known === "string"
    ? { engine, log: undefined, problem: known }
    : { engine, log: known, problem: undefined };
};
