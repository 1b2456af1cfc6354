import type { Config } from "../config/config.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Debug } from "./cluster/engines/engine.ts";
import { openData } from "./data-dir/open.ts";
import type { Database } from "./db/open.ts";

export interface OpenStoreOptions {
  create: boolean;
  migrate?: boolean;
  /** Called when a replica has to be made first, and while that takes long. */
  onStep?: (message: string) => void;
  /** Called before a replica is loaded, which may take minutes. */
  onLoad?: () => Promise<unknown>;
  /** Logs decisions of a replica, with their reasons. */
  debug?: Debug;
}

/** The database of DATA_DIR; `cluster` if it is a replica. */
export interface Store {
  readonly database: Database;
  readonly cluster?: Cluster;
}

/**
 * Opens the database of DATA_DIR, with DATABASE_URL as a replica.
 * @throws OperatorError
 */
export const openStore = async (config: Config, how: OpenStoreOptions): Promise<Store> => {
  if (config.databaseUrl === undefined) return { database: openData(config, how) };
  // Not loaded by an embedded store.
  const { openReplicaStore } = await import("./cluster/open-replica.ts");
  return openReplicaStore(config, config.databaseUrl, how);
};
