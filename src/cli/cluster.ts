import { fetchSiteFiles, uploadSiteFiles } from "../operate/backups/site-storage.ts";
import type { EngineMember, Log } from "../data/cluster/log.ts";
import type { NodeEntry } from "../data/cluster/nodes.ts";
import type { ClusterProblem, ClusterReport, ReportedClaim } from "../data/cluster/report.ts";
import type { Config } from "../config/config.ts";
import { assertDatabase, assertDataDir } from "../data/data-dir/checks.ts";
import { lockForRestore } from "../data/data-dir/lock.ts";
import { openStore } from "../data/open.ts";
import { databasePath } from "../data/data-dir/paths.ts";
import { snapshotObjects } from "../data/cluster/snapshot-files.ts";
import { engineError } from "../data/data-dir/storage.ts";
import { describeDatabaseUrl } from "../lib/database-url.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { quantity } from "../lib/quantity.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { command, group } from "./command.ts";
import { assertConfirmed, UsageError } from "./input.ts";
import { catchUpWithCluster } from "./database.ts";
import {
  coloured,
  type Columns,
  formatBytes,
  formatCount,
  labelled,
  listText,
  note,
  print,
  progressLine,
  relativeTime,
} from "./print/output.ts";
import { configOf } from "./settings.ts";

/** The log that DATABASE_URL names. @throws UsageError without it, OperatorError if a file that it names cannot be read */
const openLogOf = async ({ databaseUrl }: Config): Promise<Log> => {
  if (!databaseUrl)
    throw new UsageError(
      "DATABASE_URL is not set: it names etcd or PostgreSQL, such as etcd://10.0.0.1,10.0.0.2,10.0.0.3/adoption-store",
    );
  const { openLog } = await import("../data/cluster/open-replica.ts");
  return openLog(databaseUrl);
};

/** Running nodes announce themselves every two seconds, and within this time after a restart of the engine. */
const ANNOUNCED_WITHIN_MS = 6000;

/** The report of the cluster that DATABASE_URL names, and its problems. @throws UsageError, OperatorError */
const readCluster = async (config: Config, now: number) => {
  const log = await openLogOf(config);
  const { readReport, clusterProblems } = await import("../data/cluster/report.ts");
  try {
    const report = await readReport(log, ANNOUNCED_WITHIN_MS);
    return { report, problems: clusterProblems(report, now, config.clusterNodes) };
  } finally {
    await log.close();
  }
};

const NO_BLOBS: ClusterProblem = {
  isFailure: false,
  text: "BLOBS_URL is not set, so the nodes refuse deploys: set it to a bucket that all nodes reach",
};

/** A summary of a cluster and its problems; undefined without DATABASE_URL. */
export const clusterFacts = async (config: Config, now: number) => {
  const { databaseUrl, blobsUrl } = config;
  if (!databaseUrl) return undefined;
  const { report, problems } = await readCluster(config, now);
  return {
    url: describeDatabaseUrl(databaseUrl),
    /** Undefined while the engine cannot be used. */
    nodes: report.log?.nodes.length,
    /** The end of the log. */
    position: report.log?.head?.position,
    problems: blobsUrl ? problems : [...problems, NO_BLOBS],
  };
};

export type ClusterFacts = NonNullable<Awaited<ReturnType<typeof clusterFacts>>>;

export const clusterText = ({ url, nodes, position }: ClusterFacts): string =>
  nodes === undefined
    ? `${url} cannot be used`
    : `${quantity(nodes, "node")} of ${url}, ${position === undefined ? "without a log" : `at position ${formatCount(position)}`}`;

export const REPLICA_ALONE =
  "this DATA_DIR belongs to a node of a cluster, and DATABASE_URL is not set: set it for this command too, best in DATA_DIR/adoption-store.toml; or run adoption-store cluster leave";

const memberText = ({ address, problem, isLeader }: EngineMember): string => {
  if (problem !== undefined) return `${address} ${coloured("red", "FAILED")} (${problem})`;
  return isLeader ? `${address} (leader)` : address;
};

const engineTexts = ({ engine: { version, members, bytes } }: ClusterReport, url: string): string[] => [
  [
    version ?? coloured("red", "cannot be reached"),
    url,
    bytes !== undefined && `${formatBytes(bytes)} stored`,
  ]
    .filter(Boolean)
    .join(", "),
  ...members.map(memberText),
];

const logText = ({ log }: ClusterReport): string => {
  if (!log) return "not known";
  return log.head ? `${log.head.log} at position ${formatCount(log.head.position)}` : "none yet";
};

const PLACES = { engine: "in the engine", objects: "in object storage" } as const;

const snapshotText = ({ log }: ClusterReport, now: number): string => {
  const { head, snapshot } = log ?? {};
  if (!head || !snapshot) return log ? "none" : "not known";
  const { position, madeAt, compressed, store } = snapshot;
  return `position ${formatCount(position)}, ${quantity(head.position - position, "record")} behind the log, made ${relativeTime(madeAt, now)}, ${formatBytes(compressed)} ${PLACES[store]}`;
};

const workOf = ({ id }: NodeEntry, claims: readonly ReportedClaim[]): string =>
  claims
    .filter(({ node }) => node === id)
    .map(({ name }) => name)
    .join(", ") || "-";

const nodeColumns = (head: number, claims: readonly ReportedClaim[]): Columns<NodeEntry> => ({
  NODE: ({ name }) => name,
  ID: ({ id }) => id.slice(0, 8),
  VERSION: ({ version }) => version,
  POSITION: ({ position }) => formatCount(position),
  LAG: ({ position }) => formatCount(Math.max(0, head - position)),
  ADDRESS: ({ address }) => address,
  STARTED: ({ since }, now) => relativeTime(since, now),
  CLAIMS: (node) => workOf(node, claims),
});

const printStatus = (
  report: ClusterReport,
  problems: readonly ClusterProblem[],
  url: string,
  now: number,
): void => {
  const { log } = report;
  for (const line of [
    ...labelled("engine", engineTexts(report, url)),
    ...labelled("log", [logText(report)]),
    ...labelled("snapshot", [snapshotText(report, now)]),
  ])
    print(line);
  if (!log) for (const line of labelled("nodes", ["unknown"])) print(line);
  if (log && log.nodes.length > 0) {
    print("");
    // A node publishes its position every two seconds: it may be ahead of the head that was read first.
    print(listText(log.nodes, nodeColumns(log.head?.position ?? 0, log.claims), ""));
  }
  if (problems.length > 0) print("");
  for (const { isFailure, text } of problems)
    print(`${isFailure ? coloured("red", "FAILED ") : coloured("yellow", "warning")}    ${text}`);
};

const SETTINGS = ["databaseUrl", "blobsUrl"] as const;
const STATUS_SETTINGS = [...SETTINGS, "clusterNodes"] as const;

const showStatus = command({
  name: "status",
  summary: "show the nodes, the engine and the log",
  description: "show the nodes, the engine, the log and the newest snapshot of the cluster, and its problems",
  takes: { "--json": "print JSON" },
  settings: STATUS_SETTINGS,
  notes: [
    "The command queries etcd or PostgreSQL. It needs neither a server nor a DATA_DIR, and changes nothing. Nodes publish their position every two seconds, so LAG is a little high in a busy cluster.",
  ],
  exitCodes: { 0: "the cluster has no problem", 1: "the cluster has a problem: the last lines name it" },
  examples: {
    "Show the nodes, the engine and the log": "",
    "Alert from a timer when the cluster has a problem": "> /dev/null || echo look at the cluster",
  },
  async run(flags) {
    const config = configOf(flags);
    const now = Date.now();
    const { report, problems } = await readCluster(config, now);
    const url = config.databaseUrl ? describeDatabaseUrl(config.databaseUrl) : "";
    process.exitCode = problems.length === 0 ? 0 : 1;
    return { json: { ...report, problems }, text: () => printStatus(report, problems, url, now) };
  },
});

/**
 * Runs `work` while no other process uses the database of DATA_DIR.
 * @throws OperatorError if a server runs, or the engine cannot be used
 */
const withAlone = async <Result>(
  config: Config,
  work: (path: string, log: Log) => Promise<Result>,
): Promise<Result> => {
  const log = await openLogOf(config);
  try {
    assertDataDir(config.dataDir);
    assertDatabase(config.dataDir, { create: false });
    const lock = lockForRestore(config.dataDir);
    try {
      return await work(databasePath(config.dataDir), log);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof EngineUnavailable && config.databaseUrl)
      throw engineError(config.databaseUrl, error);
    throw error;
  } finally {
    await log.close();
  }
};

/** Asks before the store of a running cluster is replaced. @throws Declined */
const assertMayReplace = async (log: Log): Promise<void> => {
  const [head, { readNodes }] = [await log.head(), await import("../data/cluster/nodes.ts")];
  if (!head) return;
  const nodes = await readNodes(log);
  await assertConfirmed(
    false,
    `Replace the store of the cluster (${quantity(head.position, "record")}, ${quantity(nodes.length, "node")} running) with this one?`,
    "Nothing was replaced.",
  );
};

const join = command({
  name: "join",
  summary: "move the store of this machine into a cluster",
  description:
    "make the store of DATA_DIR the store of the cluster that DATABASE_URL names; run it again if it was interrupted",
  takes: {
    "--replace": "replace the store that the cluster holds",
    "--yes": "do not ask",
    "--json": "print JSON",
  },
  settings: SETTINGS,
  notes: [
    "Stop the server first. Afterwards start it with the same DATABASE_URL, and on the other nodes with an empty DATA_DIR: they load the store from the cluster.",
    "--replace deletes the current store of the cluster. Its nodes start again from this store automatically. Use it after a restore.",
  ],
  examples: {
    "Move the store of this machine into a cluster": "",
    "After a restore, make all nodes start again from the restored store": "--replace",
  },
  async run({ replace = false, yes, ...flags }) {
    const config = configOf(flags);
    const { joinCluster } = await import("../data/cluster/membership.ts");
    return withAlone(config, async (path, log) => {
      if (replace && !yes) await assertMayReplace(log);
      using progress = progressLine();
      // The other nodes get them there.
      await uploadSiteFiles(config, (done, of) =>
        progress.show(`Uploading the sites: ${done} of ${of} files`),
      );
      const joined = await joinCluster(path, log, {
        replace,
        onProgress: (done, of) =>
          progress.show(`Storing the snapshot: ${formatBytes(done)} of ${formatBytes(of)}`),
        objects: snapshotObjects(config.blobsUrl),
      });
      if (!config.blobsUrl) progress.note(NEEDS_BLOBS);
      const text = joined.isNew
        ? "The store is now in the cluster. Start the server on each node with this DATABASE_URL."
        : "This node is in the cluster already. Start the server with this DATABASE_URL.";
      return { json: joined, text };
    });
  },
});

const OTHER_LOG = {
  lost: "the engine no longer has a log, so this node cannot catch up",
  replaced: "the cluster has started another log, so this file lacks its current data",
};

/** Brings the replica to the end of the log, from the snapshot if it lacks too much. */
const updateReplica = async (config: Config, path: string, log: Log): Promise<void> => {
  const { startReplica } = await import("../data/cluster/membership.ts");
  await startReplica(path, log, { objects: snapshotObjects(config.blobsUrl), onStep: note });
  const { database, cluster } = await openStore(config, { create: false });
  try {
    await catchUpWithCluster(database, cluster);
  } finally {
    await database.close();
    await cluster?.log.close();
  }
};

const runningNote = (running: readonly string[]): string =>
  `nodes of the cluster continue to run (${running.join(", ")}): their writes from now on are not in this store`;

const LAST =
  "No other node runs. The log stays in the engine: when no node needs it any more, delete it there, with etcdctl del --prefix or DROP DATABASE.";

const KEEP_BLOBS = "keep BLOBS_URL set: DATA_DIR may lack files of sites that other nodes have deployed";
const NEEDS_BLOBS =
  "BLOBS_URL is not set: the other nodes do not get the files of sites, and deploys are refused";

const leave = command({
  name: "leave",
  summary: "make this node a standalone store again",
  description:
    "make the replica of DATA_DIR an embedded store again, after it has caught up with the cluster; run it again if it was interrupted",
  takes: {
    "--force": "do not catch up: the newest writes of the cluster may be missing",
    "--yes": "do not ask",
    "--json": "print JSON",
  },
  settings: SETTINGS,
  notes: [
    "Stop the server first. Afterwards start it without DATABASE_URL. The other nodes continue as a cluster.",
    "The log stays in the engine. After the last node has left, delete it there: etcdctl del --prefix with the prefix of DATABASE_URL, or DROP DATABASE.",
  ],
  examples: { "Go back to one machine": "", "Leave a cluster whose etcd or PostgreSQL is gone": "--force" },
  async run({ force, yes, ...flags }) {
    const config = configOf(flags);
    const { inspectLeaving, makeEmbedded } = await import("../data/cluster/membership.ts");
    return withAlone(config, async (path, log) => {
      const finish = (caughtUp: boolean, isLast: boolean) => {
        makeEmbedded(path);
        if (config.blobsUrl && !caughtUp) note(KEEP_BLOBS);
        const done = "DATA_DIR holds an embedded store now. Start the server without DATABASE_URL.";
        return { json: { embedded: true, caughtUp }, text: isLast ? `${done}\n${LAST}` : done };
      };
      if (force) return finish(false, false);
      const leaving = await inspectLeaving(path, log);
      if (leaving.log === "none")
        return { json: { embedded: true }, text: "DATA_DIR holds an embedded store already." };
      if (leaving.log !== "current")
        throw new OperatorError(`${OTHER_LOG[leaving.log]}: add --force to leave with the data in this file`);
      const isLast = leaving.running.length === 0;
      if (!isLast) note(runningNote(leaving.running));
      await assertConfirmed(isLast || yes, "Leave the cluster?", "This node stays in the cluster.");
      await updateReplica(config, path, log);
      // This machine may lack files of other nodes' deploys.
      using progress = progressLine();
      await fetchSiteFiles(config, (done, of) => progress.show(`Fetching the sites: ${done} of ${of} files`));
      return finish(true, isLast);
    });
  },
});

export const clusterCommand = group({
  name: "cluster",
  description: "look at a cluster of several machines, move a store into it, and back",
  commands: [showStatus, join, leave],
});
