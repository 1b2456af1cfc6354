import { accessSync, constants, existsSync, statSync } from "node:fs";
import { Command } from "commander";
import { accessAdvice, directoryFault, fileFault } from "../data-dir/checks.ts";
import { shellQuoted } from "../data-dir/shell.ts";
import { listenHttp } from "../edge/http-listener.ts";
import { freeBytes, fullDiskAdvice, hasNoInodes } from "../data-dir/storage.ts";
import { isDataDirLocked } from "../data-dir/lock.ts";
import { databasePath, lockPath } from "../data-dir/paths.ts";
import { describeMissing, readProcessRecord } from "../data-dir/process-record.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { readConfig } from "../config/config.ts";
import { SETTINGS, type SettingName } from "../config/settings.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { backups } from "./doctor-backups.ts";
import { certificates, database, sites } from "./doctor-database.ts";
import { clusterFindings } from "./doctor-cluster.ts";
import { objectStoreProbes } from "./doctor-objects.ts";
import { platformProbe } from "./doctor-platform.ts";
import { type Concern, type Finding, type Probe, attempt, lineOf } from "./doctor-finding.ts";
import { creationAdvice, describeStopped, serviceOf } from "./service-state.ts";
import { reportedSources, settingWarnings, withSettings } from "./settings.ts";
import { print, printJson } from "./print/output.ts";

/** A correct clock shows no earlier time. */
const YEAR_2026 = Date.UTC(2026, 0, 1);

const dataDir: Probe = ({ dataDir: path }) => {
  if (!existsSync(path)) return `${path} does not exist yet: ${creationAdvice(path)}`;
  const fault = directoryFault(path) ?? fileFault(lockPath(path));
  if (fault !== undefined) throw new Error(`${path}: ${fault}`);
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${reasonOf(error)}). ${accessAdvice(path, code)}`, {
      cause: error,
    });
  }
  if (existsSync(databasePath(path)) && statSync(path).mode & 0o055)
    return { warning: `${path} is writable; others can list its files: chmod 700 ${shellQuoted(path)}` };
  return `${path} is writable`;
};

const disk: Probe = ({ dataDir: path, diskReserve }) => {
  const directory = existsSync(path) ? path : ".";
  const free = freeBytes(directory);
  const mebibytes = Math.floor(free / 2 ** 20);
  if (free < diskReserve) throw new Error(`only ${mebibytes} MiB are free: make room, or move DATA_DIR`);
  if (hasNoInodes(directory)) throw new Error(fullDiskAdvice(directory));
  return `${mebibytes} MiB free`;
};

const runningServer = (dataDir: string): string | Concern => {
  const { workers, missingWorkers } = readProcessRecord(dataDir) ?? {};
  if (missingWorkers) return { warning: describeMissing(missingWorkers) };
  return `one is running on this DATA_DIR${workers ? ` with ${quantity(workers.length, "worker")}` : ""}`;
};

const server: Probe = async (config) => {
  if (isDataDirLocked(config.dataDir)) return runningServer(config.dataDir);
  const stopped = await serviceOf(config.dataDir);
  if (stopped?.result !== undefined) throw new Error(describeStopped(stopped));
  if (stopped) return { warning: describeStopped(stopped) };
  const { host, port } = config;
  try {
    await listenHttp({ host, port, fetch: () => new Response() }).stop(0);
  } catch (error) {
    throw new Error(
      `cannot listen on ${host}:${port} (${reasonOf(error)}): stop what listens there, or choose another port with --port`,
      { cause: error },
    );
  }
  return `none is running on this DATA_DIR; port ${config.port} on ${config.host} is free`;
};

const clock: Probe = () => {
  if (Date.now() < YEAR_2026) throw new Error(`it says ${new Date().toISOString()}: set the machine's clock`);
  return new Date().toISOString();
};

const settingsProbe =
  ({ sources, fault }: ReturnType<typeof reportedSources>): Probe =>
  () => {
    if (fault !== undefined) throw new Error(fault);
    const warnings = settingWarnings(sources);
    return warnings.length === 0 ? "all are valid" : { warning: warnings.join("; ") };
  };

const PROBES: Record<string, Probe> = {
  "data directory": dataDir,
  disk,
  database,
  certificates,
  sites,
  backups,
  server,
  clock,
};

interface Options extends Record<string, unknown> {
  quick?: boolean;
  json?: boolean;
}

const DOCTOR_TEXTS: CommandTexts = {
  notes: [
    "Each line begins with ok, warning or FAILED. The command changes nothing. It checks all settings, so it also takes the options of adoption-store serve.",
  ],
  exitCodes: { 0: "no check has FAILED", 1: "a check has FAILED" },
  examples: [
    {
      text: "Check the store in ./data, or that of the service if there is none",
      line: "adoption-store doctor",
    },
    { text: "Check it quickly", line: "adoption-store doctor --quick" },
  ],
};

export const doctorCommand = (): Command =>
  withSettings(
    withTexts(new Command("doctor"), DOCTOR_TEXTS)
      .summary("check everything, and say what to do")
      .description(
        "check settings, disk, database, sites, backups, port, clock, the cluster, and the DNS and ports of the platform, and say what to do",
      )
      .option(
        "--quick",
        "skip the slow parts: do not compare indexes with their tables, or read the files of sites",
      )
      .option("--json", "print JSON"),
    ["port", "host", "diskReserve", "backupSchedule", "backupDir"],
    Object.keys(SETTINGS) as SettingName[],
  ).action(async ({ quick = false, json, ...options }: Options) => {
    const reported = reportedSources(options);
    const serverConfig = readConfig(reported.sources);
    const { backupSchedule, backupDir } = serverConfig;
    const config =
      reported.fault === undefined
        ? { ...readConfig({ ...reported.sources, saved: {} }), backupSchedule, backupDir }
        : serverConfig;
    const findings: Finding[] = [await attempt("settings", settingsProbe(reported), config, { quick })];
    const probes = { ...PROBES, ...objectStoreProbes(config), platform: platformProbe(serverConfig) };
    for (const [check, probe] of Object.entries(probes))
      findings.push(await attempt(check, probe, config, { quick }));
    findings.push(...(await clusterFindings(config)));
    if (json) printJson(findings);
    else for (const finding of findings) print(lineOf(finding));
    process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1;
  });
