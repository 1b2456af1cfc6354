import type { Log } from "../cluster/log.ts";
import type { ClusterProblem, ClusterReport } from "../cluster/report.ts";
import type { Config } from "../config/config.ts";
import { databasePath } from "../data-dir/paths.ts";
import { openForReading } from "../db/readonly.ts";
import { replicaMark } from "../db/replica-mark.ts";
import { describeDatabaseUrl } from "../lib/database-url.ts";
import { fileSize } from "../lib/files.ts";
import { quantity } from "../lib/quantity.ts";
import { formatCount } from "./print/output.ts";
import { UsageError } from "./usage-error.ts";

/** The log that DATABASE_URL names. @throws UsageError without it, OperatorError if a file that it names cannot be read */
export const openLogOf = async ({ databaseUrl }: Config): Promise<Log> => {
  if (!databaseUrl)
    throw new UsageError(
      "DATABASE_URL is not set: it names etcd or PostgreSQL, such as etcd://10.0.0.1,10.0.0.2,10.0.0.3/adoption-store",
    );
  const { openLog } = await import("../cluster/open-log.ts");
  return openLog(databaseUrl);
};

/** A summary of a cluster and its problems. */
export interface ClusterFacts {
  /** Of the log, without credentials. */
  readonly url: string;
  /** Undefined while the engine cannot be used. */
  readonly nodes: number | undefined;
  /** The end of the log. */
  readonly position: number | undefined;
  readonly problems: readonly ClusterProblem[];
}

/** The report of the cluster that DATABASE_URL names, and its problems. @throws UsageError, OperatorError */
export const readCluster = async (
  config: Config,
  now: number,
): Promise<{ report: ClusterReport; problems: ClusterProblem[] }> => {
  const log = await openLogOf(config);
  const { readReport, clusterProblems } = await import("../cluster/report.ts");
  try {
    const report = await readReport(log);
    return { report, problems: clusterProblems(report, now) };
  } finally {
    await log.close();
  }
};

const NO_BLOBS: ClusterProblem = {
  isFailure: false,
  text: "BLOBS_URL is not set, so the nodes refuse deploys: set it to a bucket that all nodes reach",
};

/** Undefined without DATABASE_URL. */
export const clusterFacts = async (config: Config, now: number): Promise<ClusterFacts | undefined> => {
  const { databaseUrl, blobsUrl } = config;
  if (!databaseUrl) return undefined;
  const { report, problems } = await readCluster(config, now);
  return {
    url: describeDatabaseUrl(databaseUrl),
    nodes: report.log?.nodes.length,
    position: report.log?.head?.position,
    problems: blobsUrl ? problems : [...problems, NO_BLOBS],
  };
};

export const clusterText = ({ url, nodes, position }: ClusterFacts): string =>
  nodes === undefined
    ? `${url} cannot be used`
    : `${quantity(nodes, "node")} of ${url}, ${position === undefined ? "without a log" : `at position ${formatCount(position)}`}`;

/** True if DATA_DIR has the copy of a node. The check of the database reports a damaged one. */
export const isReplica = (dataDir: string): boolean => {
  const path = databasePath(dataDir);
  // SQLite deletes the log of a database that has no bytes.
  if (fileSize(path) === 0) return false;
  try {
    using client = openForReading(path);
    return replicaMark(client) !== undefined;
  } catch {
    return false;
  }
};

export const REPLICA_ALONE =
  "this DATA_DIR belongs to a node of a cluster, and DATABASE_URL is not set: set it for this command too, best in DATA_DIR/adoption-store.toml; or run adoption-store cluster leave";
