import { hostname } from "node:os";
import type { Cluster, ReplicaState } from "../data/cluster/cluster.ts";
import { spacePoller } from "../data/cluster/engine-space.ts";
import { catchUp } from "../data/cluster/far-behind.ts";
import { erasurePoller } from "../data/cluster/erasures.ts";
import { EngineFull, EngineUnavailable } from "../data/cluster/log.ts";
import { isCheckedFirst } from "../data/cluster/membership.ts";
import { removeKept } from "../data/cluster/load-snapshot.ts";
import { checkReplica, differenceJudge, type Judge } from "../data/cluster/check.ts";
import { announceNode, countDeclared, missingNodes, type Nodes } from "../data/cluster/nodes.ts";
import { onOneNode } from "../data/cluster/on-one-node.ts";
import { FORMAT } from "../data/cluster/record.ts";
import { snapshotPoller } from "../data/cluster/snapshot-schedule.ts";
import { writeHolder } from "../data/cluster/write-holder.ts";
import type { Config } from "../config/config.ts";
import type { Context } from "../data/context.ts";
import { databasePath, nodeIdPath } from "../data/data-dir/paths.ts";
import { snapshotObjects } from "../data/cluster/snapshot-files.ts";
import { freeBytes } from "../data/data-dir/storage.ts";
import { vacuum } from "../data/db/vacuum.ts";
import { isReachable, type NodeRequests, nodeRequests, type WriteTarget } from "../edge/write-forwarding.ts";
import { PublicProblem } from "../http/health.ts";
import type { CounterOptions, GaugeOptions, MetricName } from "../http/metrics.ts";
import { describeDatabaseUrl } from "../lib/database-url.ts";
import { fileSize } from "../lib/files.ts";
import type { Logger } from "../lib/log.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { type Clock, DAY_MS, formatTime } from "../lib/time.ts";
import { VERSION } from "../lib/version.ts";

const clusterGauges = (
  { state, liveNodes }: Pick<Cluster, "state" | "liveNodes">,
  { clusterNodes }: Config,
): GaugeOptions[] => [
  { name: "cluster_declared_nodes", read: () => clusterNodes && countDeclared(clusterNodes) },
  { name: "cluster_engine_up", read: () => (state().problem === undefined ? 1 : 0) },
  { name: "cluster_live_nodes", read: liveNodes },
  { name: "cluster_log_position", read: () => state().position },
  { name: "cluster_log_lag", read: () => Math.max(0, state().head - state().position) },
];

const clusterCounters = (
  { state }: Pick<Cluster, "state">,
  { forwarded = () => 0 }: Partial<Pick<Writes, "forwarded">> = {},
): CounterOptions[] => {
  const counts: Partial<Record<MetricName, () => number>> = {
    cluster_forwarded_writes_total: forwarded,
    cluster_appends_total: () => state().appends,
    cluster_lost_appends_total: () => state().lostAppends,
    cluster_append_seconds_total: () => state().appendSeconds,
    cluster_applied_records_total: () => state().applied,
  };
  return (Object.entries(counts) as [MetricName, () => number][]).map(([name, count]) => ({
    name,
    read: () => [{ labels: {}, count: count() }],
  }));
};

const space = ({ log: engine }: Cluster, log: Logger): Poller =>
  spacePoller(engine, {
    onReclaimed: (before, after) =>
      log.info({ bytesBefore: before.bytes, bytes: after.bytes }, "freed space in the cluster's engine"),
    onError: (error) =>
      log.warn(
        { err: error },
        "no space could be freed in the cluster's engine: adoption-store cluster status shows the commands",
      ),
  });

/** Makes snapshots on one node of the cluster. */
const snapshots = (
  cluster: Cluster,
  { dataDir, blobsUrl, diskReserve }: Config,
  log: Logger,
  judge: Judge,
): Poller => {
  const path = databasePath(dataDir);
  const onError = (error: unknown) => log.warn({ err: error }, "the cluster's snapshot could not be made");
  const poller = snapshotPoller(path, cluster, {
    objects: snapshotObjects(blobsUrl),
    judge,
    // Below the reserve, the server is not ready.
    assertRoom() {
      if (freeBytes(dataDir) < diskReserve + fileSize(path))
        throw new Error("DATA_DIR has no space for a copy of the database: free some space there");
    },
    onMade: ({ position }, seconds) =>
      log.info({ position, seconds: Math.round(seconds * 10) / 10 }, "made a snapshot of the cluster"),
    onError,
  });
  return onOneNode([poller, space(cluster, log)], cluster.log, {
    name: "snapshots",
    node: cluster.node,
    onError,
  });
};

/** Checks the whole file once a day, in steps that leave most of the time to requests. */
const checks = (cluster: Cluster, { dataDir }: Config, log: Logger): Poller => {
  const path = databasePath(dataDir);
  return repeat(DAY_MS, (signal) => checkReplica(path, cluster, signal), {
    firstMs: isCheckedFirst(path) ? DAY_MS : 0,
    onError: (error) => log.warn({ err: error }, "the replica could not be checked"),
  });
};

/** Rewrites the database after the erasure of a person. */
const erasures = (cluster: Cluster, { dataDir }: Config, log: Logger): Poller =>
  erasurePoller(cluster, {
    async rewrite() {
      await vacuum(databasePath(dataDir));
      removeKept(databasePath(dataDir));
      log.info("rewrote the database after the erasure of a person");
    },
    onError: (error) =>
      log.warn({ err: error }, "the database could not be rewritten after the erasure of a person"),
  });

const snapshotPollers = (cluster: Cluster, config: Config, log: Logger, judge: Judge): Poller[] => [
  snapshots(cluster, config, log, judge),
  erasures(cluster, config, log),
  checks(cluster, config, log),
];

const NO_BLOBS =
  "BLOBS_URL is not set, so this node refuses deploys: set it to a bucket that all nodes reach";

const WATCH_MS = 250;

/** The reason why reads and writes are currently refused. */
interface ClusterFault {
  readonly problem: string;
  /** In milliseconds UTC. */
  readonly since: number;
}

/** A cluster as a server sees it. */
export interface ServerCluster extends Cluster {
  readonly nodes: Pick<Nodes, "list">;
  /** One line about this node, without secrets. */
  describe(): string;
  /** Undefined while all is well. */
  fault(): ClusterFault | undefined;
  /** The nodes of CLUSTER_NODES that have not run for some seconds; undefined without one, or if that is unknown. */
  missing(): ReturnType<typeof missingNodes>;
  /** @throws PublicProblem if this node cannot bring itself up to date */
  assertReady(fresh: () => Promise<void>): Promise<void>;
  readonly pollers: readonly Poller[];
  /** The requests that other nodes send to this one. */
  readonly nodeRequests: NodeRequests;
  /** Undefined with HTTPS_PORT. */
  readonly writes: Writes | undefined;
  /** Runs pollers on one node at a time. */
  onOneNode(pollers: readonly Poller[]): Poller;
  readonly gauges: readonly GaugeOptions[];
  readonly counters: readonly CounterOptions[];
}

/** Records how long the engine has been unreachable, and logs each change once. */
const watchEngine = ({ state }: Pick<Cluster, "state">, clock: Clock, log: Logger) => {
  let fault: ClusterFault | undefined;
  let wasFull = false;
  const watch = () => {
    const { problem, isEngineFull } = state();
    if (isEngineFull && !wasFull)
      log.error(
        "the engine of the cluster is full and refuses writes: adoption-store cluster status shows the commands that free space",
      );
    if (!isEngineFull && wasFull) log.info("the engine of the cluster accepts writes again");
    wasFull = isEngineFull;
    if (problem === fault?.problem) return;
    if (problem === undefined) {
      log.info(
        { seconds: Math.round((clock.now() - (fault?.since ?? 0)) / 1000) },
        "the cluster works again",
      );
      fault = undefined;
      return;
    }
    log.warn({ problem }, "the cluster's log cannot be used: reads and writes of the API are refused");
    fault = { problem, since: fault?.since ?? clock.now() };
  };
  const onError = (error: unknown) => log.error({ err: error }, "the state of the cluster is unknown");
  return { fault: () => fault, poller: repeat(WATCH_MS, watch, { firstMs: 0, onError }) };
};

/** Nodes announce themselves again within this time after a restart of the engine. */
const MISSING_MS = 10_000;

/** Reports nodes that are missing for a while, and logs each change once. */
const watchMissing = (find: ServerCluster["missing"], log: Logger) => {
  let since: number | undefined;
  let reported: ReturnType<ServerCluster["missing"]>;
  const watch = () => {
    const found = find();
    since = found && (since ?? performance.now());
    const isLasting = since !== undefined && performance.now() - since >= MISSING_MS;
    if (found && isLasting && found.text !== reported?.text) log.warn(found.text);
    if (reported && !found) log.info("all nodes of CLUSTER_NODES run, or which ones run is unknown");
    reported = isLasting ? found : undefined;
  };
  const onError = (error: unknown) => log.error({ err: error }, "the missing nodes are unknown");
  return { missing: () => reported, poller: repeat(WATCH_MS, watch, { onError }) };
};

/** The public reason: without the engine's address and this machine's paths. */
const publicReason = (error: unknown, { problem }: Pick<ReplicaState, "problem">): string => {
  if (error instanceof EngineFull) return "the engine of the cluster is full";
  if (error instanceof EngineUnavailable) return "the engine of the cluster cannot be reached";
  return problem === undefined ? "this node cannot apply the log" : reasonOf(error);
};

/** The problem is public: without the engine, no key can be checked. */
const readinessOf =
  (state: Cluster["state"], fault: () => ClusterFault | undefined) =>
  async (fresh: () => Promise<void>): Promise<void> => {
    try {
      await fresh();
    } catch (error) {
      const current = state();
      const { position, head } = current;
      const since = fault()?.since;
      const details = [
        publicReason(error, current),
        ...(since === undefined ? [] : [`since ${formatTime(since)}`]),
        ...(head > position ? [`${quantity(head - position, "record")} behind`] : []),
      ];
      throw new PublicProblem(details.join(", "), { cause: error });
    }
  };

const addressOf = ({ databaseUrl }: Config): string => (databaseUrl ? describeDatabaseUrl(databaseUrl) : "");

const workOfOneNode = (pollers: readonly Poller[], cluster: Cluster, log: Logger): Poller =>
  onOneNode(pollers, cluster.log, {
    name: "work",
    node: cluster.node,
    onChange: (isHolder) =>
      log.info(
        isHolder
          ? "this node now does the work that one node does: certificates, domain checks, backups and the like"
          : "another node may now do the work that one node does",
      ),
    onError: (error) => log.warn({ err: error }, "the claim on the work of one node failed"),
  });

/** Which node is the writer. @param own how the others reach this node */
const writesOf = ({ log: engine, node }: Cluster, own: WriteTarget, log: Logger) => {
  let forwarded = 0;
  const holder = writeHolder(
    engine,
    { node, ...own },
    {
      isReachable,
      onUnreachable: (url) =>
        log.warn(
          { url },
          "this node cannot reach the writer node, so it handles writes locally, which is slower: if that node runs, set its HOST to an address that this one reaches",
        ),
      onError: (error) => log.warn({ err: error }, "which node is the writer is unknown"),
    },
  );
  /** `forwarded`: how many requests the other node has responded to. */
  return { ...holder, forwarded: () => forwarded, onForwarded: () => void forwarded++ };
};

type Writes = ReturnType<typeof writesOf>;

/** Waits until the replica has the whole log: at a start, it may lack more than it applies while a request waits. */
export const applyLog = (cluster: Cluster, { database, log }: Context): Promise<void> =>
  catchUp(database, cluster, (left) => log.info({ left }, "applying the cluster's log"));

interface NodeAddresses {
  /** Of this node, for operators. */
  address: string;
  /** Of its port for HTTP, for other nodes. */
  url: string;
}

export const serverCluster = async (
  cluster: Cluster,
  { config, clock, log }: Omit<Context, "database">,
  { address, url }: NodeAddresses,
): Promise<ServerCluster> => {
  if (!config.blobsUrl) log.warn(NO_BLOBS);
  const since = clock.now();
  const judge = differenceJudge(databasePath(config.dataDir), cluster);
  const name = config.nodeName ?? hostname();
  const nodes = announceNode(
    cluster.log,
    () => ({
      id: cluster.node,
      name,
      version: VERSION,
      format: FORMAT,
      position: cluster.state().position,
      address,
      since,
      now: clock.now(),
      contents: cluster.contents(),
      blames: cluster.state().blames,
    }),
    {
      onNodes: judge.onNodes,
      onError: (error) => log.warn({ err: error }, "this node could not announce itself to the others"),
      onTaken: () =>
        log.error(
          `another server has the id of this node: if DATA_DIR was copied, stop this server and remove ${nodeIdPath(config.dataDir)}`,
        ),
    },
  );
  const token = crypto.randomUUID();
  // Requests between nodes are not encrypted. A node that listens for HTTPS neither sends nor accepts them.
  const writes = config.httpsPort === undefined ? writesOf(cluster, { url, token }, log) : undefined;
  const state = () => cluster.state();
  await nodes.tick();
  const { fault, poller } = watchEngine({ state }, clock, log);
  const { missing, poller: missingPoller } = watchMissing(
    () => (fault() ? undefined : missingNodes(config.clusterNodes, nodes.list())),
    log,
  );
  return {
    log: cluster.log,
    node: cluster.node,
    outdated: cluster.outdated,
    fail: cluster.fail,
    state,
    contents: cluster.contents,
    speculate: cluster.speculate,
    liveNodes: nodes.count,
    nodes,
    describe: () =>
      `Node ${name} of the cluster ${addressOf(config)}: position ${state().position}, ${quantity(nodes.count(), "node")}`,
    fault,
    missing,
    assertReady: readinessOf(state, fault),
    nodeRequests: nodeRequests(token),
    writes,
    pollers: [
      nodes,
      poller,
      missingPoller,
      ...(writes?.pollers ?? []),
      ...snapshotPollers(cluster, config, log, judge),
    ],
    onOneNode: (pollers) => workOfOneNode(pollers, cluster, log),
    gauges: clusterGauges({ state, liveNodes: nodes.count }, config),
    counters: clusterCounters({ state }, writes),
  };
};
