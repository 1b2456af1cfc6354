import type { Config } from "../config/config.ts";
import { databasePath } from "../data-dir/paths.ts";
import { openForReading } from "../db/readonly.ts";
import { replicaMark } from "../db/replica-mark.ts";
import { fileSize } from "../lib/files.ts";
import { reasonOf } from "../lib/reason.ts";
import { type ClusterFacts, clusterFacts, clusterText } from "./cluster-facts.ts";
import type { Finding } from "./doctor-finding.ts";

const CHECK = "cluster";

/** True if DATA_DIR has the copy of a node. What is wrong with the database, its own check says. */
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

/** One finding for each problem. */
export const findingsOf = (facts: ClusterFacts): Finding[] =>
  facts.problems.length === 0
    ? [{ check: CHECK, level: "ok", ok: true, detail: clusterText(facts) }]
    : facts.problems.map(({ isFailure, text }) => ({
        check: CHECK,
        level: isFailure ? "failed" : "warning",
        ok: !isFailure,
        detail: text,
      }));

/** What is wrong with the cluster; nothing without one. */
export const clusterFindings = async (config: Config): Promise<Finding[]> => {
  try {
    const facts = await clusterFacts(config, Date.now());
    if (!facts)
      return isReplica(config.dataDir)
        ? [{ check: CHECK, level: "failed", ok: false, detail: REPLICA_ALONE }]
        : [];
    return findingsOf(facts);
  } catch (error) {
    return [{ check: CHECK, level: "failed", ok: false, detail: reasonOf(error) }];
  }
};
