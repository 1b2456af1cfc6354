import type { Cluster } from "../cluster/cluster.ts";
import { erasurePoller } from "../cluster/erasures.ts";
import { onOneNode } from "../cluster/on-one-node.ts";
import { snapshotPoller } from "../cluster/snapshot-schedule.ts";
import type { Config } from "../config/config.ts";
import { freeBytes } from "../data-dir/storage.ts";
import { databasePath } from "../data-dir/paths.ts";
import { snapshotObjects } from "../data-dir/snapshot-objects.ts";
import { vacuumInWorker } from "../db/vacuum.ts";
import { fileSize } from "../lib/files.ts";
import type { Logger } from "../lib/log.ts";
import type { Poller } from "../lib/poller.ts";

type Settings = Pick<Config, "dataDir" | "blobsUrl" | "diskReserve">;

/** Makes snapshots on one node of the cluster. */
const snapshots = (cluster: Cluster, { dataDir, blobsUrl, diskReserve }: Settings, log: Logger): Poller => {
  const path = databasePath(dataDir);
  const onError = (error: unknown) => log.warn({ err: error }, "the cluster's snapshot could not be made");
  const poller = snapshotPoller(path, cluster, {
    objects: snapshotObjects(blobsUrl),
    // Below the reserve, the server is not ready.
    assertRoom() {
      if (freeBytes(dataDir) < diskReserve + fileSize(path))
        throw new Error("DATA_DIR has no room for a copy of the database beside it: make room there");
    },
    onMade: ({ position }, seconds) =>
      log.info({ position, seconds: Math.round(seconds * 10) / 10 }, "made a snapshot of the cluster"),
    onError,
  });
  return onOneNode([poller], cluster.log, { name: "snapshots", node: cluster.node, onError });
};

/** Rewrites the database after the erasure of a person. */
const erasures = (cluster: Cluster, { dataDir }: Settings, log: Logger): Poller =>
  erasurePoller(cluster, {
    async rewrite() {
      await vacuumInWorker(databasePath(dataDir));
      log.info("rewrote the database after the erasure of a person");
    },
    onError: (error) =>
      log.warn({ err: error }, "the database could not be rewritten after the erasure of a person"),
  });

export const snapshotPollers = (cluster: Cluster, settings: Settings, log: Logger): Poller[] => [
  snapshots(cluster, settings, log),
  erasures(cluster, settings, log),
];
