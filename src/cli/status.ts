import { constants, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { wildcardOf } from "../app/challenges.ts";
import { readableCertificates } from "../app/command-rooms.ts";
import { networkUrls } from "../lib/host-addresses.ts";
import { platformFaults } from "../app/platform.ts";
import { newestBackupIn } from "../operate/backups/backup-directory.ts";
import { describeRescued, rescuedStores } from "../operate/backups/rescue.ts";
import { isOverdue } from "../operate/backups/schedule.ts";
import { expiryWarnings } from "../platform/certificates/certificate.ts";
import { explanations } from "../platform/certificates/summary.ts";
import { withoutReplaced } from "../platform/certificates/wildcard.ts";
import { type Config, readConfig } from "../config/config.ts";
import { clockJump, describeJump } from "../data/data-dir/clock.ts";
import { isBeingRestored, isDataDirLocked } from "../data/data-dir/lock.ts";
import { databaseFiles, databasePath } from "../data/data-dir/paths.ts";
import {
  describeMissing,
  isReplaced,
  type ProcessRecord,
  readProcessRecord,
  residentMemory,
} from "../data/data-dir/process-record.ts";
import { sudoCommand } from "../data/data-dir/shell.ts";
import { freeBytes } from "../data/data-dir/storage.ts";
import { isReplicaFile, readingOf } from "../data/db/readonly.ts";
import type { Client } from "../data/db/snapshot.ts";
import { storeIdentityOf } from "../data/db/store-id.ts";
import { ownNames } from "../platform/dns-checks/names.ts";
import { failingDomains } from "../platform/domains/repository.ts";
import { readRefusedHosts, type RefusedHost } from "../edge/refused-hosts.ts";
import { fileSize, isAllowed } from "../lib/files.ts";
import { apexOf, parseHostname, wildcardAbove } from "../lib/hostname.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { sentence } from "../lib/text.ts";
import { formatTime } from "../lib/time.ts";
import { noticeWarnings } from "../platform/domains/notice.ts";
import { noticeReads } from "../platform/domains/notice-repository.ts";
import { platformWarnings } from "../platform/dns-checks/platform-probe.ts";
import { slugProblem } from "../platform/projects/slug.ts";
import { STATE_DIRECTORY } from "../operate/service/unit.ts";
import { clusterFacts, clusterText, REPLICA_ALONE } from "./cluster.ts";
import { command } from "./command.ts";
import { NONE, openForCommand } from "./database.ts";
import { coloured, formatBytes, formatCount, print, relativeTime, labelled } from "./print/output.ts";
import { creationAdvice, describeStopped, serveCommand, serviceOf, reportedSources } from "./settings.ts";

/** How long the server may take to say that it is ready. */
const READY_MS = 10_000;
const MAX_FAILING = 10;

const assertReady = async ({ url }: ProcessRecord): Promise<void> => {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
  if (response.ok) return;
  const { message } = (await response.json()) as { message?: string };
  throw new Error(message ?? `/readyz responded with ${response.status}`);
};

/** A server that has started. */
const factsOf = (record: ProcessRecord) => {
  const { pid, version, startedAt, workers, missingWorkers } = record;
  return {
    pid,
    memoryBytes: residentMemory(pid),
    /** The other processes that serve; absent without WORKERS. */
    ...(workers && { workers: workers.map((one) => ({ pid: one, memoryBytes: residentMemory(one) })) }),
    ...(missingWorkers && { missingWorkers }),
    startedAt: formatTime(startedAt),
    version,
    /** True if the executable was replaced after the server started. */
    restartNeeded: isReplaced(record),
  };
};

/** @returns the server of a DATA_DIR; `reason` is why a running server is not ready */
const serverStatus = async (
  { dataDir }: Config,
  record: ProcessRecord | undefined,
): Promise<{ running: boolean; ready: boolean; reason?: string } & Partial<ReturnType<typeof factsOf>>> => {
  if (!existsSync(dataDir) || !isDataDirLocked(dataDir) || isBeingRestored(dataDir))
    return { running: false, ready: false };
  if (!record) return { running: true, ready: false, reason: "it is starting" };
  const facts = { running: true, ...factsOf(record) };
  try {
    await assertReady(record);
    return { ...facts, ready: true };
  } catch (error) {
    return { ...facts, ready: false, reason: reasonOf(error) };
  }
};

/** The sizes of the files, in bytes, and the number of animals. */
const storageStatus = (dataDir: string, client: Client | undefined) => {
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
  const newest = newestBackupIn(directory, store?.id, now);
  return {
    directory,
    newest: newest === undefined ? undefined : formatTime(newest),
    isScheduled: every !== undefined,
    overdue: every !== undefined && isOverdue((newest ?? store?.createdAt ?? now) + every, every, now),
  };
};

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

const NO_NAMES: Awaited<ReturnType<typeof namesStatus>> = {
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
  const found = existsSync(dataDir) ? statSync(dataDir) : undefined;
  if (found?.isDirectory() && !isAllowed(dataDir, constants.R_OK | constants.X_OK))
    throw new OperatorError(
      `DATA_DIR ${dataDir}: this user may not read it. Run: ${sudoCommand(found.uid, dataDir)}`,
    );
};

/** Where clients reach the server: its public address, and those of PORT. */
const addressesOf = ({ baseUrl }: Config, { url, host }: ProcessRecord): string[] => [
  ...(baseUrl === undefined ? [] : [baseUrl]),
  url,
  ...networkUrls(url, host),
];

/** Finds out everything that `status` shows. Changes nothing. @throws OperatorError */
export const findStatus = async (config: Config, settingsFault: string | undefined, now: number) => {
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
      // The service of this store, if it has failed or is stopped.
      ...(service && { service }),
      // What `status` shows then follows the settings of the last server.
      ...(settingsFault !== undefined && { settingsFault }),
      addresses: server.running && record ? addressesOf(config, record) : [],
      dataDir: resolve(dataDir),
      ...(fault !== undefined && { databaseFault: fault }),
      ...(cluster && { cluster }),
      storage: existsSync(dataDir) ? storageStatus(dataDir, client) : undefined,
      backups: backupStatus(config, client, now),
      ...(client ? await namesStatus(config, client, now) : NO_NAMES),
      rescued: client ? rescuedStores(config) : [],
      clockJump: clockJump(dataDir, now),
      platformFaults: platformFaults(config),
      refusedHosts: server.running ? refusedBy(dataDir, client) : [],
    };
  } finally {
    client?.close();
  }
};

export type Status = Awaited<ReturnType<typeof findStatus>>;

const serverText = ({ server: { running, ready, pid, startedAt }, service }: Status, now: number): string => {
  if (!running) return coloured("red", service?.result === undefined ? "not running" : "failed");
  const state = ready ? coloured("green", "running") : coloured("red", "running, but not ready");
  const since = startedAt && `started ${relativeTime(Date.parse(startedAt), now)}`;
  return [state, since, pid && `process ${pid}`].filter(Boolean).join(", ");
};

const workersText = ({ server: { workers = [] } }: Status): string =>
  workers
    .map(({ pid, memoryBytes }) => `process ${pid} (${memoryBytes ? formatBytes(memoryBytes) : "ended"})`)
    .join(", ");

const storageText = ({ dataDir, storage }: Status): string[] => {
  if (!storage) return [dataDir, `does not exist yet: ${creationAdvice(dataDir)}`];
  const { databaseBytes, logBytes, freeBytes, animals } = storage;
  return [
    dataDir,
    `${formatBytes(databaseBytes)} database, ${formatBytes(logBytes)} write-ahead log, ${formatBytes(freeBytes)} free on the disk`,
    ...(animals === undefined ? [] : [animals === 1 ? "1 animal" : `${formatCount(animals)} animals`]),
  ];
};

const backupText = ({ backups: { newest, isScheduled, directory } }: Status, now: number): string => {
  const last =
    newest === undefined ? "none yet" : `${relativeTime(Date.parse(newest), now)}, in ${directory}`;
  return isScheduled ? last : `${last}, and none are scheduled (set BACKUP_SCHEDULE=24h)`;
};

/** Only a certificate that a CA has issued counts. */
const httpsText = ({ certificates: { total, pending } }: Status): string =>
  `${total === 0 ? "no certificate yet" : quantity(total, "certificate")}${pending === 0 ? "" : `, ${pending} requested`}`;

/** Advice if no server runs. The data of a service is in another directory than that of a first try. */
const startAdvice = ({ dataDir, settingsFault }: Status): string => {
  if (settingsFault !== undefined) return "Correct the setting. Then start the server.";
  if (dataDir === STATE_DIRECTORY) return "Start the service with systemctl start adoption-store.";
  return existsSync(STATE_DIRECTORY)
    ? `Show the service with adoption-store status --data-dir ${STATE_DIRECTORY}.`
    : `Start the server with ${serveCommand(dataDir)}.`;
};

const printStatus = (status: Status, warnings: readonly string[], now: number): void => {
  const { server, addresses, certificates } = status;
  const lines = [
    ...labelled("server", [serverText(status, now)]),
    ...(server.version === undefined || !server.running ? [] : labelled("version", [server.version])),
    ...(server.workers?.length ? labelled("workers", [workersText(status)]) : []),
    ...(addresses.length === 0 ? [] : labelled("addresses", addresses)),
    ...labelled("data", storageText(status)),
    ...(status.cluster ? labelled("cluster", [clusterText(status.cluster)]) : []),
    ...labelled("backups", [backupText(status, now)]),
    ...(certificates.total + certificates.pending === 0 ? [] : labelled("HTTPS", [httpsText(status)])),
  ];
  for (const line of lines) print(line);
  if (warnings.length > 0) print("");
  for (const warning of warnings) print(`${coloured("yellow", "warning")}    ${warning}`);
  if (!server.running && !status.service) print(`\n${startAdvice(status)}`);
};

/** The slug of the project that would have this host name; undefined unless the name is directly below PLATFORM_DOMAIN. */
const slugOf = (host: string, platformDomain: string): string | undefined => {
  const label = host.endsWith(`.${platformDomain}`) ? host.slice(0, -platformDomain.length - 1) : "";
  return slugProblem(label) ? undefined : label;
};

type NameSettings = Parameters<typeof ownNames>[0];

/** True if the settings have a name in the same registered domain, or no public name yet. */
const mayBeOwn = (host: string, config: NameSettings): boolean => {
  const { zones, hosts } = ownNames(config).reserved;
  const domains = [...zones, ...hosts].filter((name) => parseHostname(name).ok).map(apexOf);
  return domains.length === 0 || domains.includes(apexOf(host));
};

/** Never advises a setting for a customer's domain: the API would get its requests, even after the domain goes live. */
const adviceFor = (host: string, config: NameSettings): string => {
  const project = slugOf(host, config.platformDomain);
  if (project)
    return `the project ${project} does not exist; to publish it, run adoption-store deploy DIRECTORY --project ${project} --create`;
  if (!mayBeOwn(host, config))
    return `no project has this domain; to add it to one, run adoption-store domains add ${host} --project PROJECT`;
  return config.baseUrl === undefined
    ? "if it is the address of this server, set BASE_URL to it"
    : "if it is another address of this server, add it to API_HOSTS";
};

const refusedWarning = ({ host, count }: RefusedHost, config: NameSettings): string =>
  `${quantity(count, "request")} for ${host} ${count === 1 ? "was" : "were"} refused: ${adviceFor(host, config)}.`;

/** The problems that require the operator's attention, each with its remedy. */
const warningsOf = (status: Status, config: NameSettings): string[] => {
  const { server, service, settingsFault, databaseFault, backups, notices, cluster } = status;
  return [
    settingsFault && `The settings are invalid: ${settingsFault}`,
    service && describeStopped(service),
    server.reason && `The server is not ready: ${sentence(server.reason)}`,
    server.restartNeeded &&
      "The executable was replaced after the server started: restart the server to run the new one.",
    server.missingWorkers && describeMissing(server.missingWorkers),
    databaseFault && `The database: ${databaseFault}`,
    ...(cluster?.problems ?? []).map(({ text }) => `The cluster: ${sentence(text)}`),
    !cluster && isReplicaFile(databasePath(status.dataDir)) && `The cluster: ${REPLICA_ALONE}.`,
    backups.overdue &&
      `A backup is overdue: ${server.running ? "look at the server's log" : "start the server, which then takes one"}.`,
    ...status.rescued.map((path) => `${describeRescued(path)}.`),
    status.clockJump && describeJump(status.clockJump),
    ...status.certificates.warnings,
    ...platformWarnings(status.platformFaults).map(({ message }) => message),
    ...noticeWarnings(notices).map(({ message }) => message),
    ...status.failingDomains
      .filter(({ hostname }) => !notices.some((notice) => notice.hostname === hostname))
      .map(
        ({ hostname, project, stage }) =>
          `The domain ${hostname} is ${stage}: adoption-store domains show ${hostname} --project ${project}`,
      ),
    ...status.refusedHosts.slice(0, 3).map((refused) => refusedWarning(refused, config)),
  ].filter((warning): warning is string => Boolean(warning));
};

export const statusCommand = command({
  name: "status",
  summary: "show whether the server runs, and what needs attention",
  description: "show whether the server runs, its addresses, its data, and what needs attention",
  takes: { "--json": "print JSON" },
  hiddenSettings: [
    "port",
    "host",
    "baseUrl",
    "backupSchedule",
    "backupDir",
    "databaseUrl",
    "blobsUrl",
    "clusterNodes",
  ],
  notes: [
    "The command changes nothing, and needs no key: it reads DATA_DIR, and requests /readyz from the server.",
  ],
  exitCodes: { 0: "the server runs and is ready", 1: "it does not run, or is not ready" },
  examples: {
    "Show the server of ./data, or the service if there is no store in ./data": "",
    "Alert from a timer when the server is not ready": "> /dev/null || echo not ready",
  },
  async run(flags) {
    const { sources, fault: settingsFault } = reportedSources(flags);
    const config = readConfig(sources);
    const now = Date.now();
    const status = await findStatus(config, settingsFault, now);
    const warnings = warningsOf(status, config);
    process.exitCode = status.server.ready ? 0 : 1;
    return { json: { ...status, warnings }, text: () => printStatus(status, warnings, now) };
  },
});
