import { existsSync } from "node:fs";
import { readConfig } from "../config/config.ts";
import { describeMissing } from "../data-dir/process-record.ts";
import { ownNames } from "../dns-checks/names.ts";
import type { RefusedHost } from "../edge/refused-hosts.ts";
import { apexOf, parseHostname } from "../lib/hostname.ts";
import { quantity } from "../lib/quantity.ts";
import { sentence } from "../lib/text.ts";
import { noticeWarnings } from "../notices/notice.ts";
import { platformWarnings } from "../platform/fault.ts";
import { slugProblem } from "../projects/slug.ts";
import { STATE_DIRECTORY } from "../service/unit.ts";
import { REPLICA_ALONE, clusterText, isReplica } from "./cluster-facts.ts";
import { command } from "./command.ts";
import { coloured, formatBytes, formatCount, heading, print, relativeTime } from "./print/output.ts";
import { creationAdvice, describeStopped } from "./service-state.ts";
import { reportedSources } from "./settings.ts";
import { type Status, findStatus } from "./status-facts.ts";

const LABEL_WIDTH = 11;

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

const linesOf = (label: string, [first = "", ...rest]: readonly string[]): string[] => [
  `${heading(label)}${" ".repeat(LABEL_WIDTH - label.length)}${first}`,
  ...rest.map((line) => " ".repeat(LABEL_WIDTH) + line),
];

/** Advice if no server runs. The data of a service is in another directory than that of a first try. */
const startAdvice = ({ dataDir, settingsFault }: Status): string => {
  if (settingsFault !== undefined) return "Correct the setting. Then start the server.";
  if (dataDir === STATE_DIRECTORY) return "Start the service with systemctl start adoption-store.";
  return existsSync(STATE_DIRECTORY)
    ? `Show the service with adoption-store status --data-dir ${STATE_DIRECTORY}.`
    : "Start the server with adoption-store serve.";
};

const printStatus = (status: Status, warnings: readonly string[], now: number): void => {
  const { server, addresses, certificates } = status;
  const lines = [
    ...linesOf("server", [serverText(status, now)]),
    ...(server.version === undefined || !server.running ? [] : linesOf("version", [server.version])),
    ...(server.workers?.length ? linesOf("workers", [workersText(status)]) : []),
    ...(addresses.length === 0 ? [] : linesOf("addresses", addresses)),
    ...linesOf("data", storageText(status)),
    ...(status.cluster ? linesOf("cluster", [clusterText(status.cluster)]) : []),
    ...linesOf("backups", [backupText(status, now)]),
    ...(certificates.total + certificates.pending === 0 ? [] : linesOf("HTTPS", [httpsText(status)])),
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
const warningsOf = (
  {
    server,
    service,
    settingsFault,
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
  config: NameSettings,
): string[] => [
  ...(settingsFault === undefined ? [] : [`The settings are invalid: ${settingsFault}`]),
  ...(service === undefined ? [] : [describeStopped(service)]),
  ...(server.reason === undefined ? [] : [`The server is not ready: ${sentence(server.reason)}`]),
  ...(server.restartNeeded
    ? ["The executable was replaced after the server started: restart the server to run the new one."]
    : []),
  ...(server.missingWorkers ? [describeMissing(server.missingWorkers)] : []),
  ...(databaseFault === undefined ? [] : [`The database: ${databaseFault}`]),
  ...(cluster?.problems ?? []).map(({ text }) => `The cluster: ${sentence(text)}`),
  ...(!cluster && isReplica(dataDir) ? [`The cluster: ${REPLICA_ALONE}.`] : []),
  ...(backups.overdue
    ? [
        `A backup is overdue: ${server.running ? "look at the server's log" : "start the server, which then takes one"}.`,
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
  ...refusedHosts.slice(0, 3).map((refused) => refusedWarning(refused, config)),
];

export const statusCommand = command({
  name: "status",
  summary: "show whether the server runs, and what needs attention",
  description: "show whether the server runs, its addresses, its data, and what needs attention",
  takes: { "--json": "print JSON" },
  hiddenSettings: ["port", "host", "baseUrl", "backupSchedule", "backupDir", "databaseUrl", "blobsUrl"],
  notes: [
    "The command changes nothing, and needs no key: it reads DATA_DIR, and asks the server whether it is ready.",
  ],
  exitCodes: { 0: "the server runs and is ready", 1: "it does not run, or is not ready" },
  examples: {
    "Show the server of ./data, or the service if there is no store in ./data": "adoption-store status",
    "Alert from a timer when the server is not ready": "adoption-store status > /dev/null || echo not ready",
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
