import { existsSync } from "node:fs";
import { Command } from "commander";
import { readConfig } from "../config/config.ts";
import { networkUrls } from "../app/host-addresses.ts";
import type { ProcessRecord } from "../data-dir/process-record.ts";
import { quantity } from "../lib/quantity.ts";
import { STATE_DIRECTORY } from "../service/unit.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import {
  coloured,
  formatBytes,
  formatCount,
  heading,
  print,
  printJson,
  relativeTime,
} from "./print/output.ts";
import { clusterText } from "./cluster-facts.ts";
import { reportedSources, withSettings } from "./settings.ts";
import { type Status, findStatus } from "./status-facts.ts";
import { creationAdvice } from "./service-state.ts";
import { warningsOf } from "./status-warnings.ts";

const LABEL_WIDTH = 11;

/** Where clients reach the server: its public address, and those of PORT. */
const addressesOf =
  (baseUrl: string | undefined) =>
  ({ url, host }: ProcessRecord): string[] => [
    ...(baseUrl === undefined ? [] : [baseUrl]),
    url,
    ...networkUrls(url, host),
  ];

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

/** What to do if no server runs. The data of a service is in another directory than that of a first try. */
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

const TEXTS: CommandTexts = {
  notes: [
    "The command changes nothing, and needs no key: it reads DATA_DIR, and asks the server whether it is ready.",
  ],
  exitCodes: { 0: "the server runs and is ready", 1: "it does not run, or is not ready" },
  examples: [
    {
      text: "Show the server of ./data, or the service if there is no store in ./data",
      line: "adoption-store status",
    },
    {
      text: "Alert from a timer when the server is not ready",
      line: "adoption-store status > /dev/null || echo not ready",
    },
  ],
};

export const statusCommand = (): Command =>
  withSettings(
    withTexts(new Command("status"), TEXTS)
      .summary("show whether the server runs, and what needs attention")
      .description("show whether the server runs, its addresses, its data, and what needs attention")
      .option("--json", "print JSON"),
    [],
    ["port", "host", "baseUrl", "backupSchedule", "backupDir", "databaseUrl", "blobsUrl"],
  ).action(async (options: { json?: boolean }) => {
    const { sources, fault: settingsFault } = reportedSources(options);
    const config = readConfig(sources);
    const now = Date.now();
    const status = await findStatus(config, { addressesOf: addressesOf(config.baseUrl), settingsFault }, now);
    const warnings = warningsOf(status, config);
    if (options.json) printJson({ ...status, warnings });
    else printStatus(status, warnings, now);
    process.exitCode = status.server.ready ? 0 : 1;
  });
