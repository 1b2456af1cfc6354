import type { Config } from "../config/config.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { OpenReplicaOptions } from "./cluster/open-replica.ts";
import { openData } from "./data-dir/open.ts";
import type { Database } from "./db/open.ts";

/** The database of DATA_DIR; `cluster` if it is a replica. */
export interface Store {
  readonly database: Database;
  readonly cluster?: Cluster;
}

/**
 * Opens the database of DATA_DIR, with DATABASE_URL as a replica.
 * @throws OperatorError
 */
export const openStore = async (
  config: Config,
  how: { create: boolean } & OpenReplicaOptions,
): Promise<Store> => {
  if (config.databaseUrl === undefined) return { database: openData(config, how) };
  // Not loaded by an embedded store.
  const { openReplicaStore } = await import("./cluster/open-replica.ts");
  return openReplicaStore(config, config.databaseUrl, how);
};
