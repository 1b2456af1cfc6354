import { detectChanges } from "../db/change-detection.ts";
import type { GroupCommitOptions } from "../db/commit.ts";
import { type FilesLost, watchFiles } from "../db/file-loss.ts";
import { sharedReads } from "../db/fresh-reads.ts";
import { lockHolder as holderOf } from "../db/other-processes.ts";
import type { ReadinessOptions } from "../db/readiness.ts";
import { transactions } from "../db/transaction.ts";
import { logGrowth, writeLease } from "./contention.ts";
import { openReplicaFile } from "./file.ts";
import type { Log } from "./log.ts";
import { headRequests, replicaProgress } from "./progress.ts";

export interface ReplicaOptions
  extends
    Pick<GroupCommitOptions, "groupSize" | "lockWait" | "queueLimit">,
    Pick<ReadinessOptions, "probeMs"> {
  /** Identifies this node. */
  node: string;
  /** The maximum age of the data that `recent` allows, in milliseconds. */
  staleMs?: number;
  /** How long a read waits until the records that it must see are applied. */
  applyMs?: number;
  /** Brings the schema of the whole cluster up to date, if this program is newer. Otherwise an older replica is refused. */
  migrates?: boolean;
}

/** The parts that reads and writes of the file share. */
export const openParts = (path: string, log: Log) => {
  const file = openReplicaFile(path);
  const { promise: lost, resolve: onLost } = Promise.withResolvers<FilesLost>();
  const changes = detectChanges(file.writer);
  const files = watchFiles(file.writer, onLost);
  const beginOwn = () => {
    files.assert();
    changes.beginOwn();
  };
  return {
    log,
    file,
    files,
    lost,
    changes,
    transactions: transactions(file.writer, { beginOwn, endOwn: changes.endOwn }),
    progress: replicaProgress(file.mark()),
    heads: headRequests(log),
    lease: writeLease(log),
    growth: logGrowth(),
    reads: sharedReads(file.reader, changes.detect),
    lockHolder: () => holderOf(path),
    /** This process's work, for `cluster status` and the metrics. */
    counts: { appends: 0, lostAppends: 0, appendSeconds: 0, recordBytes: 0, applied: 0, committed: 0 },
  };
};

export type Parts = ReturnType<typeof openParts>;
