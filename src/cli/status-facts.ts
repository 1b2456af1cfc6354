import { accessSync, constants, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readableCertificates } from "../app/command-services.ts";
import { platformFaults } from "../app/platform.ts";
import { newestBackupIn } from "../backups/backup-directory.ts";
import { isOverdue } from "../backups/schedule.ts";
import { expiryWarnings } from "../certificates/certificate.ts";
import { withoutReplaced } from "../certificates/wildcard.ts";
import { wildcardOf } from "../app/challenges.ts";
import { explain } from "../certificates/explain.ts";
import { type ClusterFacts, clusterFacts } from "./cluster-facts.ts";
import { REPLICA_ALONE, isReplica } from "./doctor-cluster.ts";
import type { Config } from "../config/config.ts";
import { freeBytes } from "../data-dir/free-space.ts";
import { isBeingRestored, isDataDirLocked } from "../data-dir/lock.ts";
import { sudoCommand } from "../data-dir/sudo.ts";
import { databaseFiles, databasePath } from "../data-dir/paths.ts";
import {
  type MissingWorkers,
  type ProcessRecord,
  describeMissing,
  isReplaced,
  readProcessRecord,
  residentMemory,
} from "../data-dir/process-record.ts";
import { readingOf } from "../db/readonly.ts";
import type { Client } from "../db/snapshot.ts";
import { storeIdOf } from "../db/store-id.ts";
import { failingDomains } from "../domains/failing-repository.ts";
import { type PlatformFault, platformWarnings } from "../platform/fault.ts";
import { type RefusedHost, readRefusedHosts } from "../edge/refused-hosts.ts";
import { fileSize } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { formatTime } from "../lib/time.ts";
import { noticeWarnings } from "../notices/notice.ts";
import { noticeReads } from "../notices/repository.ts";
import { slugProblem } from "../projects/slug.ts";
import { NONE, openForCommand } from "./open-readonly.ts";

/** How long the server may take to say that it is ready. */
const READY_MS = 10_000;
const MAX_FAILING = 10;

/** The server of a DATA_DIR, as `status` shows it. */
interface ServerStatus {
  running: boolean;
  /** True if `/readyz` says so. */
  ready: boolean;
  /** Why a running server is not ready. */
  reason?: string;
  pid?: number;
  /** Resident memory in bytes. */
  memoryBytes?: number | undefined;
  /** The other processes that serve; absent without WORKERS. */
  workers?: { pid: number; memoryBytes: number | undefined }[];
  /** Why fewer run than `WORKERS` says; absent if all do. */
  missingWorkers?: MissingWorkers;
  /** RFC 3339. */
  startedAt?: string;
  version?: string;
  /** True if the executable was replaced since the server started. */
  restartNeeded?: boolean;
}

const assertReady = async ({ url }: ProcessRecord): Promise<void> => {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
  if (response.ok) return;
  const { message } = (await response.json()) as { message?: string };
  throw new Error(message ?? `/readyz responded with ${response.status}`);
};

export const serverStatus = async (
  { dataDir }: Config,
  record: ProcessRecord | undefined,
): Promise<ServerStatus> => {
  if (!existsSync(dataDir) || !isDataDirLocked(dataDir) || isBeingRestored(dataDir))
    return { running: false, ready: false };
  if (!record) return { running: true, ready: false, reason: "it is starting" };
  const { pid, version, startedAt, workers, missingWorkers } = record;
  const facts = {
    running: true,
    pid,
    memoryBytes: residentMemory(pid),
    ...(workers && { workers: workers.map((one) => ({ pid: one, memoryBytes: residentMemory(one) })) }),
    ...(missingWorkers && { missingWorkers }),
    startedAt: formatTime(startedAt),
    version,
    restartNeeded: isReplaced(record),
  };
  try {
    await assertReady(record);
    return { ...facts, ready: true };
  } catch (error) {
    return { ...facts, ready: false, reason: reasonOf(error) };
  }
};

/** Bytes, and the number of animals. */
interface StorageStatus {
  databaseBytes: number;
  logBytes: number;
  freeBytes: number;
  animals: number | undefined;
}

const storageStatus = (dataDir: string, client: Client | undefined): StorageStatus => {
  const [database = "", log = ""] = databaseFiles(databasePath(dataDir));
  return {
    databaseBytes: fileSize(database),
    logBytes: fileSize(log),
    freeBytes: freeBytes(dataDir),
    animals: client?.query<{ animals: number }, []>("SELECT count(*) AS animals FROM pets").get()?.animals,
  };
};

const backupStatus = (
  { backupSchedule: every, backupDir: directory }: Config,
  client: Client | undefined,
  now: number,
) => {
  const newest = existsSync(directory)
    ? newestBackupIn(directory, client && storeIdOf(client), now)
    : undefined;
  return {
    directory,
    newest: newest === undefined ? undefined : formatTime(newest),
    isScheduled: every !== undefined,
    overdue: every !== undefined && isOverdue((newest ?? 0) + every, every, now),
  };
};

/** What the database says about certificates and domains. */
const namesStatus = async (config: Config, client: Client, now: number) => {
  const all = await readableCertificates(config, readingOf(client)).all();
  const expiries = all.flatMap(({ hostname, issued }) =>
    issued ? [{ hostname, notBefore: issued.notBefore, notAfter: issued.notAfter }] : [],
  );
  return {
    certificates: {
      total: all.length,
      warnings: [
        ...expiryWarnings(withoutReplaced(expiries, wildcardOf(config), now), now).map(
          ({ message }) => message,
        ),
        ...all.flatMap((one) => explain(one, now) ?? []),
      ],
    },
    failingDomains: failingDomains(readingOf(client), MAX_FAILING).map(
      ({ hostname, project, stage, failingSince }) => ({
        hostname,
        project,
        stage,
        failingSince: failingSince === null ? undefined : formatTime(failingSince),
      }),
    ),
    notices: noticeReads(readingOf(client)).open(),
  };
};

type NamesStatus = Awaited<ReturnType<typeof namesStatus>>;

export interface Status extends NamesStatus {
  server: ServerStatus;
  addresses: string[];
  dataDir: string;
  /** Why the database cannot be read. */
  databaseFault?: string;
  storage: StorageStatus | undefined;
  backups: ReturnType<typeof backupStatus>;
  refusedHosts: RefusedHost[];
  /** Absent without DATABASE_URL. */
  cluster?: ClusterFacts;
  /** What the operator must correct for custom domains. */
  platformFaults: readonly PlatformFault[];
}

const NO_NAMES: NamesStatus = { certificates: { total: 0, warnings: [] }, failingDomains: [], notices: [] };

/** Opens the database, unless the DATA_DIR is new or the database cannot be read. */
const openIfPossible = (config: Config): { client?: Client; fault?: string } => {
  try {
    const client = openForCommand(config);
    if (typeof client !== "string") return { client };
    return client === NONE ? {} : { fault: client };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
};

/** The DATA_DIR of a service is for its user alone. @throws OperatorError */
const assertReadable = (dataDir: string): void => {
  try {
    if (existsSync(dataDir)) accessSync(dataDir, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(
      `DATA_DIR ${dataDir}: this user may not read it. Run: ${sudoCommand(statSync(dataDir).uid, dataDir)}`,
      { cause: error },
    );
  }
};

/** Finds out everything that `status` shows. Changes nothing. @throws OperatorError */
export const findStatus = async (
  config: Config,
  addressesOf: (record: ProcessRecord) => string[],
  now: number,
): Promise<Status> => {
  const { dataDir } = config;
  assertReadable(dataDir);
  const record = readProcessRecord(dataDir);
  const server = await serverStatus(config, record);
  const cluster = await clusterFacts(config, now);
  const { client, fault } = openIfPossible(config);
  try {
    return {
      server,
      addresses: server.running && record ? addressesOf(record) : [],
      dataDir: resolve(dataDir),
      ...(fault !== undefined && { databaseFault: fault }),
      ...(cluster && { cluster }),
      storage: existsSync(dataDir) ? storageStatus(dataDir, client) : undefined,
      backups: backupStatus(config, client, now),
      ...(client ? await namesStatus(config, client, now) : NO_NAMES),
      platformFaults: platformFaults(config),
      refusedHosts: server.running ? readRefusedHosts(dataDir) : [],
    };
  } finally {
    client?.close();
  }
};

/** The slug of the project that would have this host name; undefined unless the name is directly below PLATFORM_DOMAIN. */
const slugOf = (host: string, platformDomain: string): string | undefined => {
  const label = host.endsWith(`.${platformDomain}`) ? host.slice(0, -platformDomain.length - 1) : "";
  return slugProblem(label) ? undefined : label;
};

const refusedWarning = ({ host, count }: RefusedHost, platformDomain: string): string => {
  const project = slugOf(host, platformDomain);
  const advice = project
    ? `there is no project ${project}; to publish one, run adoption-store deploy DIRECTORY --project ${project} --create`
    : "if the name is yours, set BASE_URL to its address, or add it to API_HOSTS";
  return `${quantity(count, "request")} for ${host} ${count === 1 ? "was" : "were"} refused: ${advice}.`;
};

/** What needs a person's attention, with what to do. */
export const warningsOf = (
  {
    server,
    databaseFault,
    backups,
    certificates,
    failingDomains,
    notices,
    platformFaults: faults,
    refusedHosts,
    cluster,
    dataDir,
  }: Status,
  { platformDomain }: Pick<Config, "platformDomain">,
): string[] => [
  ...(server.reason === undefined ? [] : [`The server is not ready: ${server.reason}`]),
  ...(server.restartNeeded
    ? ["The executable was replaced after the server started: restart the server to run the new one."]
    : []),
  ...(server.missingWorkers ? [describeMissing(server.missingWorkers)] : []),
  ...(databaseFault === undefined ? [] : [`The database: ${databaseFault}`]),
  ...(cluster?.problems ?? []).map(({ text }) => `The cluster: ${text.replace(/\.?$/, ".")}`),
  ...(!cluster && isReplica(dataDir) ? [`The cluster: ${REPLICA_ALONE}.`] : []),
  ...(backups.overdue
    ? [
        `A backup is overdue: ${server.running ? "look at the server's log" : "start the server, which takes one"}.`,
      ]
    : []),
  ...certificates.warnings,
  ...platformWarnings(faults).map(({ message }) => message),
  ...noticeWarnings(notices).map(({ message }) => message),
  ...failingDomains
    .filter(({ hostname }) => !notices.some((notice) => notice.hostname === hostname))
    .map(
      ({ hostname, project, stage }) =>
        `The domain ${hostname} is ${stage}: adoption-store domains show ${hostname} --project ${project}`,
    ),
  ...refusedHosts.slice(0, 3).map((refused) => refusedWarning(refused, platformDomain)),
];
