import { accessSync, constants, existsSync, statSync } from "node:fs";
import { readableCertificates } from "../app/command-rooms.ts";
import { siteStorage } from "../operate/backups/site-storage.ts";
import { probeObjectStore } from "../platform/deploys/remote/object-storage.ts";
import { commandPlatform } from "../app/platform.ts";
import { newestBackupIn, storeIdentityIn } from "../operate/backups/backup-directory.ts";
import { assertBackupDirectory } from "../operate/backups/destination.ts";
import { isOverdue } from "../operate/backups/schedule.ts";
import { repairDatabase } from "../operate/backups/recover.ts";
import { damagedDeploys } from "../operate/backups/site-files.ts";
import { describeAttempt, explanations } from "../platform/certificates/summary.ts";
import { type Config, readConfig } from "../config/config.ts";
import { SETTING_NAMES } from "../config/settings.ts";
import { accessAdvice, directoryFault, fileFault, firstFault } from "../data/data-dir/checks.ts";
import { clockJump, describeJump } from "../data/data-dir/clock.ts";
import { isDataDirLocked } from "../data/data-dir/lock.ts";
import { databaseFiles, databasePath, lockPath } from "../data/data-dir/paths.ts";
import { describeMissing, readProcessRecord } from "../data/data-dir/process-record.ts";
import { shellQuoted } from "../data/data-dir/shell.ts";
import { freeBytes, fullDiskAdvice, hasNoInodes } from "../data/data-dir/storage.ts";
import {
  type DifferingName,
  derivedDifferences,
  describeDifferences,
  differingNames,
} from "../data/db/derived.ts";
import { DAMAGE_REMEDY, DiskError, explainFailure, hasFailedToRead } from "../data/db/failures.ts";
import { damagedTables, describeDamage } from "../data/cluster/contents.ts";
import { assertSound, ForeignSchema, UnsoundDatabase } from "../data/db/integrity.ts";
import { isReplicaFile, readingOf } from "../data/db/readonly.ts";
import { rowsIn } from "../data/recovery/salvage.ts";
import type { Client } from "../data/db/snapshot.ts";
import { servedFiles } from "../data/db/stored-deploys.ts";
import { listenHttp } from "../edge/http-listener.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { describeFaults } from "../platform/dns-checks/platform-probe.ts";
import { clusterFacts, type ClusterFacts, clusterText, REPLICA_ALONE } from "./cluster.ts";
import { command } from "./command.ts";
import { NONE, openForCommand } from "./database.ts";
import { coloured, formatNames, progressLine } from "./print/output.ts";
import { creationAdvice, describeStopped, serviceOf, reportedSources, settingWarnings } from "./settings.ts";

/** A problem that does not stop the service, but needs a person's attention. */
interface Concern {
  warning: string;
}

/**
 * One check of `doctor`; `quick` skips its slow parts.
 * @returns a description of a sound state, or a concern
 * @throws an error that names the problem and its remedy
 */
export type Probe = (
  config: Config,
  options: { quick: boolean },
) => string | Concern | Promise<string | Concern>;

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

/** The most names on one line. */
const MAX_NAMED = 10;

type Look = (client: Client) => string | Promise<string>;

const lookAt = async (client: Client, look: Look): Promise<string> => {
  try {
    return await look(client);
  } catch (error) {
    if (!hasFailedToRead(client)) throw error;
    throw new Error(explainFailure(new DiskError(error)), { cause: error });
  } finally {
    client.close();
  }
};

/** Runs `look` on the database, or explains why it cannot. */
const reading = async (config: Config, look: Look): Promise<string> => {
  const client = openForCommand(config);
  if (client === NONE) return `${NONE}: ${creationAdvice(config.dataDir)}`;
  return typeof client === "string" ? client : lookAt(client, look);
};

/** `reading` for the checks after that of the database, which has reported why the database cannot be opened. */
const readingAgain = async (config: Config, look: Look): Promise<string | Concern> => {
  let client: Client | string;
  try {
    client = openForCommand(config);
  } catch {
    return { warning: "not checked: the database cannot be read" };
  }
  if (client === NONE) return "not checked: there is no database yet";
  return typeof client === "string" ? client : lookAt(client, look);
};

const unsoundFault = (error: UnsoundDatabase): Error =>
  new Error(
    error instanceof ForeignSchema
      ? `${error.message}: its schema was changed, so it cannot be backed up: undo the change, or restore a backup`
      : `${error.message}, so it cannot be backed up: ${DAMAGE_REMEDY}`,
    { cause: error },
  );

/** @throws if rows of a node's copy have changed by themselves */
const assertContents = async (client: Client): Promise<void> => {
  const tables = (await damagedTables(client)) ?? [];
  if (tables.length > 0)
    throw new Error(
      `${describeDamage(tables)}: restart the server, which then loads the cluster's snapshot and keeps this file`,
    );
};

/** Checks everything that a backup checks. */
export const database: Probe = async (config, { quick }) => {
  const look = () =>
    reading(config, async (client) => {
      assertSound(client, { quick });
      if (!quick) await assertContents(client);
      return quick
        ? "no damage found, all migrations applied; indexes were not compared with their tables (--quick)"
        : "intact, all migrations applied";
    });
  const fault = firstFault(databaseFiles(databasePath(config.dataDir)), fileFault);
  if (fault !== undefined) throw new Error(fault);
  let first: UnsoundDatabase;
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof UnsoundDatabase)) throw error;
    first = error;
  }
  // SQLite reports a failed read of the log as damage, too. Real damage shows again on the second try.
  try {
    await look();
  } catch (error) {
    throw error instanceof UnsoundDatabase ? unsoundFault(error) : error;
  }
  throw new Error(explainFailure(new DiskError(first)), { cause: first });
};

const describeNames = (names: readonly DifferingName[]): string => {
  const pairs = names.map(
    ({ id, name, folded }) => `animal ${id} (${JSON.stringify(name)}, listed as ${JSON.stringify(folded)})`,
  );
  return `one of two names is damaged: ${formatNames(pairs, MAX_NAMED)}`;
};

const REPAIR = "stop the server and run adoption-store doctor --repair";

/** Compares counts, names, search words, statistics and events with the rows. */
const derivedData: Probe = (config, { quick }) =>
  readingAgain(config, (client) => {
    if (quick) return "not compared with its rows (--quick)";
    const found = derivedDifferences(client);
    if (found.length === 0) return "counts, names, search words, statistics and events agree with their rows";
    const names = differingNames(client);
    const advice =
      names.length > 0 ? `${describeNames(names)}. Correct the animals whose name is wrong, then ` : "";
    throw new Error(`${describeDifferences(found)}: ${advice}${REPAIR}`);
  });

const certificates: Probe = (config) =>
  readingAgain(config, async (client) => {
    const readable = readableCertificates(config, readingOf(client));
    const all = await readable.all();
    const faulty = explanations(all, Date.now(), await readable.places());
    if (faulty.length > 0) throw new Error(faulty.join(" "));
    const issued = all.filter((one) => one.issued !== undefined).length;
    if (all.length === 0) return "none";
    const present = all.flatMap((one) => {
      const progress = describeAttempt(one);
      return progress === undefined ? [] : `; ${one.hostname}: ${progress}`;
    });
    const requested = all.length === issued ? "" : `; ${all.length - issued} requested`;
    return `${issued} issued, all in order${requested}${present.slice(0, MAX_NAMED).join("")}`;
  });

/** Reads every file that a deploy needs. */
const sites: Probe = (config, { quick }) =>
  readingAgain(config, async (client) => {
    if (quick) return "not read (--quick)";
    const found = await damagedDeploys(siteStorage(config), servedFiles(client));
    if (found.damaged === 0)
      return `${quantity(found.files, "file")} of deployed sites and photos, all intact`;
    throw new Error(
      `${found.damaged} of ${found.files} files are missing or damaged, in ${formatNames(found.deploys, MAX_NAMED)}: deploy these sites again and delete the damaged deploys; delete these photos and add them again; or restore a backup`,
    );
  });

const at = (time: number): string => new Date(time).toISOString();

const backups: Probe = ({ dataDir, backupSchedule: every, backupDir: directory }) => {
  if (every === undefined)
    return {
      warning:
        "none are scheduled: set BACKUP_SCHEDULE=24h and the server takes them, or run adoption-store backup DIRECTORY on your own schedule",
    };
  assertBackupDirectory(directory, dataDir);
  const place = `${directory} can be written`;
  if (!existsSync(databasePath(dataDir))) return place;
  const now = Date.now();
  const advice = isDataDirLocked(dataDir)
    ? "look at the server's log"
    : "start the server, which then takes one";
  const store = storeIdentityIn(dataDir);
  const newest = newestBackupIn(directory, store?.id, now);
  const due = (newest ?? store?.createdAt ?? now) + every;
  const last = newest === undefined ? "there is no backup yet" : `the newest is from ${at(newest)}`;
  if (isOverdue(due, every, now))
    return { warning: `${place}; ${last}, and one was due at ${at(due)}: ${advice}` };
  return `${place}; ${last}`;
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

/** A correct clock shows no earlier time. */
const YEAR_2026 = Date.UTC(2026, 0, 1);

const clock: Probe = ({ dataDir: path }) => {
  const jump = clockJump(path, Date.now());
  if (Date.now() < YEAR_2026)
    throw new Error(`it shows ${new Date().toISOString()}: set the machine's clock`);
  if (jump) return { warning: describeJump(jump) };
  return new Date().toISOString();
};

/** Asks the DNS about the platform's own names, and tries its ports. */
const platform: Probe = async (config) => {
  const report = await commandPlatform(config);
  if (!report) return "PLATFORM_DOMAIN is for this machine only: nothing to probe";
  const { faults, right, unknown } = report;
  if (faults.length > 0) return { warning: [describeFaults(faults), ...unknown].join(" ") };
  return [...right, ...unknown].join(" ");
};

/**
 * The probes by name, in the order of the output.
 * @param serverConfig with the settings of the server
 */
const probesOf = ({ blobsUrl }: Config, serverConfig: Config): Record<string, Probe> => ({
  "data directory": dataDir,
  disk,
  database,
  "derived data": derivedData,
  certificates,
  sites,
  backups,
  server,
  clock,
  ...(blobsUrl && { "object store": () => probeObjectStore(blobsUrl) }),
  platform: (_, options) => platform(serverConfig, options),
});

type Level = "ok" | "warning" | "failed";

const findingOf = (check: string, level: Level, detail: string) => ({
  check,
  level,
  /** False for `failed` only. */
  ok: level !== "failed",
  /** The state and, unless it is ok, the remedy. */
  detail,
});

type Finding = ReturnType<typeof findingOf>;

const attempt = async (check: string, probe: () => ReturnType<Probe>): Promise<Finding> => {
  try {
    const found = await probe();
    return typeof found === "string"
      ? findingOf(check, "ok", found)
      : findingOf(check, "warning", found.warning);
  } catch (error) {
    return findingOf(check, "failed", reasonOf(error));
  }
};

const LABELS = {
  ok: ["green", "ok"],
  warning: ["yellow", "warning"],
  failed: ["red", "FAILED"],
} as const satisfies Record<Level, unknown>;
const LABEL_WIDTH = 8;

const lineOf = ({ check, level, detail }: Finding): string => {
  const [colour, label] = LABELS[level];
  return `${coloured(colour, label)}${" ".repeat(LABEL_WIDTH - label.length)}${check}: ${detail}`;
};

export const findingsOf = (facts: ClusterFacts): Finding[] =>
  facts.problems.length === 0
    ? [findingOf("cluster", "ok", clusterText(facts))]
    : facts.problems.map(({ isFailure, text }) =>
        findingOf("cluster", isFailure ? "failed" : "warning", text),
      );

/** The findings about the cluster; none for a store without one. */
export const clusterFindings = async (config: Config): Promise<Finding[]> => {
  try {
    const facts = await clusterFacts(config, Date.now());
    if (facts) return findingsOf(facts);
    return isReplicaFile(databasePath(config.dataDir)) ? [findingOf("cluster", "failed", REPLICA_ALONE)] : [];
  } catch (error) {
    return [findingOf("cluster", "failed", reasonOf(error))];
  }
};

const settingsState = ({ sources, fault }: ReturnType<typeof reportedSources>): string | Concern => {
  if (fault !== undefined) throw new Error(fault);
  const warnings = settingWarnings(sources);
  return warnings.length === 0 ? "all are valid" : { warning: warnings.join("; ") };
};

const repaired = async ({ dataDir: path }: Config): Promise<string> => {
  using progress = progressLine();
  const noteNames = (names: readonly DifferingName[]) =>
    progress.note(`${describeNames(names)}. The repair keeps the first, and lists it`);
  const { aside, report } = await repairDatabase(path, Date.now(), progress.show, noteNames);
  if (aside === undefined) return "nothing is damaged or differs, so nothing was changed";
  return `all ${quantity(rowsIn(report), "row")} are readable, and everything else was rebuilt from them; the damaged database is kept as ${aside}: remove it when you no longer need it`;
};

export const doctorCommand = command({
  name: "doctor",
  summary: "check everything, and report remedies",
  description:
    "check settings, disk, database, sites, backups, port, clock, the cluster, and the DNS and ports of the platform, and report a remedy for each problem",
  takes: {
    "--repair":
      "first rebuild indexes, search words, counts and names from the rows; stop the server first; the damaged database is kept",
    "--quick":
      "skip the slow parts: do not compare indexes and derived data with their tables, or read the files of sites",
    "--json": "print JSON",
  },
  settings: ["port", "host", "diskReserve", "backupSchedule", "backupDir"],
  hiddenSettings: SETTING_NAMES,
  notes: [
    "Each line begins with ok, warning or FAILED. Without --repair, the command changes nothing. It checks all settings, so it also takes the options of adoption-store serve.",
  ],
  exitCodes: { 0: "no check has FAILED", 1: "a check has FAILED" },
  examples: {
    "Check the store in ./data, or the service's store if ./data has none": "",
    "Check it quickly": "--quick",
    "Rebuild everything that derives from the rows, then check": "--repair",
  },
  async run({ quick = false, repair = false, ...flags }) {
    const reported = reportedSources(flags);
    const serverConfig = readConfig(reported.sources);
    const { backupSchedule, backupDir } = serverConfig;
    const config =
      reported.fault === undefined
        ? { ...readConfig({ ...reported.sources, saved: {} }), backupSchedule, backupDir }
        : serverConfig;
    const findings = [await attempt("settings", () => settingsState(reported))];
    if (repair) findings.push(await attempt("repair", () => repaired(config)));
    for (const [check, probe] of Object.entries(probesOf(config, serverConfig)))
      findings.push(await attempt(check, () => probe(config, { quick })));
    findings.push(...(await clusterFindings(config)));
    process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1;
    return { json: findings, text: findings.map(lineOf).join("\n") };
  },
});
