import { accessSync, constants, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readableCertificates } from "../app/command-services.ts";
import { wildcardOf } from "../app/challenges.ts";
import { networkUrls } from "../app/host-addresses.ts";
import { platformFaults } from "../app/platform.ts";
import { newestBackupIn } from "../backups/backup-directory.ts";
import { isOverdue } from "../backups/schedule.ts";
import { expiryWarnings } from "../certificates/certificate.ts";
import { explanations } from "../certificates/summary.ts";
import { withoutReplaced } from "../certificates/wildcard.ts";
import type { Config } from "../config/config.ts";
import { freeBytes } from "../data-dir/storage.ts";
import { isBeingRestored, isDataDirLocked } from "../data-dir/lock.ts";
import { sudoCommand } from "../data-dir/shell.ts";
import { databaseFiles, databasePath } from "../data-dir/paths.ts";
import {
  type MissingWorkers,
  type ProcessRecord,
  isReplaced,
  readProcessRecord,
  residentMemory,
} from "../data-dir/process-record.ts";
import { readingOf } from "../db/readonly.ts";
import type { Client } from "../db/snapshot.ts";
import { storeIdentityOf } from "../db/store-id.ts";
import { failingDomains } from "../domains/read-repository.ts";
import type { PlatformFault } from "../platform/fault.ts";
import { type RefusedHost, readRefusedHosts } from "../edge/refused-hosts.ts";
import { fileSize } from "../lib/files.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { wildcardAbove } from "../lib/hostname.ts";
import { reasonOf } from "../lib/reason.ts";
import { formatTime } from "../lib/time.ts";
import { noticeReads } from "../notices/repository.ts";
import type { StoppedService } from "../service/systemd.ts";
import { type ClusterFacts, clusterFacts } from "./cluster-facts.ts";
import { NONE, openForCommand } from "./database.ts";
import { serviceOf } from "./service-state.ts";

/** How long the server may take to say that it is ready. */
const READY_MS = 10_000;
const MAX_FAILING = 10;

/** The server of a DATA_DIR, as `status` shows it. */
interface ServerStatus {
  running: boolean;
  /** True if `/readyz` reports ready. */
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
  const store = client && storeIdentityOf(client);
  const newest = existsSync(directory) ? newestBackupIn(directory, store?.id, now) : undefined;
  return {
    directory,
    newest: newest === undefined ? undefined : formatTime(newest),
    isScheduled: every !== undefined,
    overdue: every !== undefined && isOverdue((newest ?? store?.createdAt ?? now) + every, every, now),
  };
};

/** The state of certificates and domains in the database. */
const namesStatus = async (config: Config, client: Client, now: number) => {
  const certificates = readableCertificates(config, readingOf(client));
  const all = await certificates.all();
  const expiries = all.flatMap(({ hostname, issued }) =>
    issued ? [{ hostname, notBefore: issued.notBefore, notAfter: issued.notAfter }] : [],
  );
  return {
    certificates: {
      total: expiries.length,
      pending: all.length - expiries.length,
      warnings: [
        ...expiryWarnings(withoutReplaced(expiries, wildcardOf(config), now), now).map(
          ({ message }) => message,
        ),
        ...explanations(all, now, await certificates.places()),
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

/** The refused hosts that are not domains of any project. A domain may have been added since. */
const refusedBy = (dataDir: string, client: Client | undefined): RefusedHost[] => {
  const domains = client?.query<object, string[]>("SELECT 1 FROM domains WHERE hostname IN (?, ?)");
  return readRefusedHosts(dataDir).filter(({ host }) => !domains?.get(host, wildcardAbove(host)));
};

type NamesStatus = Awaited<ReturnType<typeof namesStatus>>;

export interface Status extends NamesStatus {
  server: ServerStatus;
  /** The service of this store, if it has failed or is stopped. */
  service?: StoppedService;
  /** Why the settings are invalid. What `status` shows then follows those of the last server. */
  settingsFault?: string;
  addresses: string[];
  dataDir: string;
  /** Why the database cannot be read. */
  databaseFault?: string;
  storage: StorageStatus | undefined;
  backups: ReturnType<typeof backupStatus>;
  refusedHosts: RefusedHost[];
  /** Absent without DATABASE_URL. */
  cluster?: ClusterFacts;
  /** Problems with custom domains that the operator must correct. */
  platformFaults: readonly PlatformFault[];
}

const NO_NAMES: NamesStatus = {
  certificates: { total: 0, pending: 0, warnings: [] },
  failingDomains: [],
  notices: [],
};

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
    if (existsSync(dataDir) && statSync(dataDir).isDirectory())
      accessSync(dataDir, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new OperatorError(
      `DATA_DIR ${dataDir}: this user may not read it. Run: ${sudoCommand(statSync(dataDir).uid, dataDir)}`,
      { cause: error },
    );
  }
};

/** Where clients reach the server: its public address, and those of PORT. */
const addressesOf = ({ baseUrl }: Config, { url, host }: ProcessRecord): string[] => [
  ...(baseUrl === undefined ? [] : [baseUrl]),
  url,
  ...networkUrls(url, host),
];

/** Finds out everything that `status` shows. Changes nothing. @throws OperatorError */
export const findStatus = async (
  config: Config,
  settingsFault: string | undefined,
  now: number,
): Promise<Status> => {
  const { dataDir } = config;
  assertReadable(dataDir);
  const record = readProcessRecord(dataDir);
  const server = await serverStatus(config, record);
  const service = server.running ? undefined : await serviceOf(dataDir);
  const cluster = await clusterFacts(config, now);
  const { client, fault } = openIfPossible(config);
  try {
    return {
      server,
      ...(service && { service }),
      ...(settingsFault !== undefined && { settingsFault }),
      addresses: server.running && record ? addressesOf(config, record) : [],
      dataDir: resolve(dataDir),
      ...(fault !== undefined && { databaseFault: fault }),
      ...(cluster && { cluster }),
      storage: existsSync(dataDir) ? storageStatus(dataDir, client) : undefined,
      backups: backupStatus(config, client, now),
      ...(client ? await namesStatus(config, client, now) : NO_NAMES),
      platformFaults: platformFaults(config),
      refusedHosts: server.running ? refusedBy(dataDir, client) : [],
    };
  } finally {
    client?.close();
  }
};
