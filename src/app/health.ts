import { type BackupStatus, backupWarnings } from "../operate/backups/schedule.ts";
import { expiryWarnings } from "../platform/certificates/certificate.ts";
import type { Config } from "../config/config.ts";
import type { Context } from "../data/context.ts";
import { type ClockGuard, type ClockJump, describeJump } from "../data/data-dir/clock.ts";
import { assertDiskReserve } from "../data/data-dir/storage.ts";
import { type MissingWorkers, describeMissing } from "../data/data-dir/process-record.ts";
import { describeChanged } from "../data/db/changed-pages.ts";
import { REMEDY, describeDifferences } from "../data/db/derived.ts";
import { DamagedParts } from "../data/db/file-check.ts";
import { logWarnings } from "../data/db/wal.ts";
import type { Database } from "../data/db/open.ts";
import { damageWarnings } from "../platform/deploys/blob-check.ts";
import { objectStoreWarnings } from "../platform/deploys/remote/object-storage.ts";
import { faultCounts, platformWarnings } from "../platform/dns-checks/platform-probe.ts";
import { noticeCounts, noticeWarnings } from "../platform/domains/notice.ts";
import {
  type FileUse,
  assertDescriptors,
  assertResponses,
  descriptorWarnings,
} from "../edge/file-descriptors.ts";
import { type Check, PublicProblem, type Warning } from "../http/health.ts";
import type { CounterOptions, GaugeOptions, OtherProcesses } from "../http/metrics.ts";
import type { ServerCluster } from "./cluster.ts";
import type { Services } from "./services.ts";

/** The workers of this server. */
export interface WorkerVitals extends OtherProcesses {
  /** Undefined while all run. */
  missing(): MissingWorkers | undefined;
}

/** The state of the process, which health checks and metrics read. */
export interface Vitals {
  /** The files that this process has open. */
  fileUse: () => FileUse;
  /** True once the server has been asked to stop. */
  isDraining?: (() => boolean) | undefined;
  /** The responses over HTTP/2 in progress, and their limit; undefined without HTTPS. */
  responseUse?: (() => FileUse) | undefined;
  /** The state of the scheduled backups; undefined if backups are off. */
  backupStatus: () => BackupStatus | undefined;
  /** Undefined in a worker, which deletes nothing. */
  clockGuard?: Pick<ClockGuard, "jump"> | undefined;
  others?: WorkerVitals | undefined;
  /** This server as a node of a cluster. */
  clusterNode?: ServerCluster | undefined;
}

const workerWarnings = (missing: MissingWorkers | undefined): Warning[] =>
  missing ? [{ code: "workers_missing", count: missing.count, message: describeMissing(missing) }] : [];

const clockWarnings = (jump: ClockJump | undefined): Warning[] =>
  jump ? [{ code: "clock_jumped", count: 1, message: describeJump(jump) }] : [];

const nodeWarnings = (missing: ReturnType<ServerCluster["missing"]>): Warning[] =>
  missing ? [{ code: "cluster_nodes_missing", count: missing.count, message: missing.text }] : [];

/** Load balancers send no more requests to a server that stops. */
const assertNotDraining = (isDraining: boolean): void => {
  if (isDraining) throw new PublicProblem("this server is about to stop");
};

const differenceWarnings = (found: ReturnType<Database["differences"]>): Warning[] => {
  if (found.length === 0) return [];
  const count = found.reduce((sum, one) => sum + one.count, 0);
  return [{ code: "derived_data_differs", count, message: `The ${describeDifferences(found)}: ${REMEDY}.` }];
};

const changeWarnings = (found: ReadonlyMap<string, number>): Warning[] => {
  if (found.size === 0) return [];
  const count = [...found.values()].reduce((sum, one) => sum + one, 0);
  return [{ code: "pages_changed", count, message: `T${describeChanged(found).slice(1)}.` }];
};

/** Publishes which parts of the database are damaged. */
const assertUndamaged = async (assertReady: Database["assertReady"]): Promise<void> => {
  try {
    await assertReady();
  } catch (error) {
    throw error instanceof DamagedParts ? new PublicProblem(error.message) : error;
  }
};

const engineWarnings = (node: ServerCluster | undefined): Warning[] =>
  node?.state().isEngineFull
    ? [
        {
          code: "engine_full",
          count: 1,
          message:
            "The engine of the cluster is full and refuses writes: adoption-store cluster status shows the commands that free space.",
        },
      ]
    : [];

/** The checks of `/readyz`. */
export const readinessChecks = (
  { dataDir, diskReserve }: Config,
  { assertReady, fresh }: Database,
  {
    fileUse,
    responseUse,
    clusterNode,
    isDraining,
  }: Pick<Vitals, "fileUse" | "responseUse" | "clusterNode" | "isDraining">,
): Record<string, Check> => ({
  // Without its engine a node refuses reads and writes: the check of the cluster reports that.
  database: () => (clusterNode?.fault() ? undefined : assertUndamaged(assertReady)),
  disk: () => assertDiskReserve(dataDir, diskReserve),
  files: () => assertDescriptors(fileUse()),
  ...(responseUse && { responses: () => assertResponses(responseUse()) }),
  ...(isDraining && { stop: () => assertNotDraining(isDraining()) }),
  ...(clusterNode && { cluster: () => clusterNode.assertReady(fresh) }),
});

/** The warnings of `/readyz`. */
export const readinessWarnings =
  (
    { config: { backupSchedule = 0 }, database: { client, differences, changedPages }, clock }: Context,
    { expiries, damage, notices, objects, platformWatch }: Services,
    { fileUse, backupStatus, clockGuard, clusterNode, others }: Vitals,
  ) =>
  (): Warning[] => [
    ...expiryWarnings(expiries(), clock.now()),
    ...platformWarnings(platformWatch.faults()),
    ...noticeWarnings(notices.open()),
    ...damageWarnings(damage),
    ...objectStoreWarnings(objects?.status),
    ...descriptorWarnings(fileUse()),
    ...workerWarnings(others?.missing()),
    ...engineWarnings(clusterNode),
    ...logWarnings(client.filename),
    ...clockWarnings(clockGuard?.jump()),
    ...differenceWarnings(differences()),
    ...changeWarnings(changedPages()),
    ...nodeWarnings(clusterNode?.missing()),
    ...backupWarnings(backupStatus(), backupSchedule, clock.now()),
  ];

const secondsOf = (ms: number | undefined): number | undefined => ms && ms / 1000;

/** The counters of `/metrics`, in addition to those of HTTP. */
export const processCounters = (
  { nameserver, objects }: Services,
  { clusterNode }: Vitals,
): CounterOptions[] => [
  { name: "dns_server_responses_total", read: () => nameserver?.counts() ?? [] },
  { name: "object_store_requests_total", read: () => objects?.status.counts() ?? [] },
  ...(clusterNode?.counters ?? []),
];

/** The gauges of `/metrics`, in addition to those of HTTP. */
export const processGauges = (
  { damage, notices, platformWatch }: Services,
  { backupStatus, clusterNode }: Vitals,
): GaugeOptions[] => [
  ...(clusterNode?.gauges ?? []),
  {
    name: "damaged_files",
    read: () => damage.hashes().length,
  },
  {
    name: "platform_faults",
    read: () => faultCounts(platformWatch.faults()),
  },
  {
    name: "open_notices",
    read: () => noticeCounts(notices.open()),
  },
  {
    name: "backup_last_success_timestamp_seconds",
    read: () => secondsOf(backupStatus()?.lastSuccess),
  },
];
