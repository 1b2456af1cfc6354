import { stageCandidate, type Version } from "./candidate.ts";
import { existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory, writeDurably } from "../../lib/durable.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { hashFile } from "../service/files.ts";

/**
 * The state of an upgrade. It is on disk before each step, so that the next call can finish or undo it after a crash:
 *
 * - `replacing`: the executable is replaced and the new one is tried. Until the executable has the hash of `to`, nothing has
 *   happened yet.
 * - `rolling_back`: the new executable failed, and the previous state is being restored.
 * - `done`: the new version works. `previous` and the backup are kept for a rollback by hand.
 */
interface UpgradeRecord {
  state: "replacing" | "rolling_back" | "done";
  from: Version;
  to: Version;
  /** In milliseconds UTC. */
  startedAt: number;
  dataDir: string;
  /** The newest migration of the database before the upgrade; undefined if there was no database. */
  migration: string | undefined;
  /** The backup from before; undefined if there was no database. */
  backup: string | undefined;
}

/** The files of an upgrade, next to the executable. */
export const upgradePaths = (executable: string) => ({
  executable,
  /** The new executable before it takes its place. */
  staged: `${executable}.new`,
  previous: `${executable}.previous`,
  record: `${executable}.upgrade.json`,
  lock: `${executable}.upgrade.lock`,
});

export type UpgradePaths = ReturnType<typeof upgradePaths>;

export const readRecord = ({ record }: UpgradePaths): UpgradeRecord | undefined =>
  existsSync(record) ? (JSON.parse(readFileSync(record, "utf8")) as UpgradeRecord) : undefined;

const writeRecord = ({ record }: UpgradePaths, value: UpgradeRecord): Promise<void> =>
  writeDurably(record, `${JSON.stringify(value, null, 2)}\n`);

/** Keeps the executable as the previous one, in one step. */
const keepPrevious = ({ executable, previous }: UpgradePaths): void => {
  const temporary = `${previous}.new`;
  rmSync(temporary, { force: true });
  linkSync(executable, temporary);
  renameSync(temporary, previous);
  syncDirectory(dirname(executable));
};

/** Puts the new executable in its place, in one step: at each moment, one of the two is there, whole. */
const putInPlace = ({ executable, staged }: UpgradePaths): void => {
  renameSync(staged, executable);
  syncDirectory(dirname(executable));
};

/** Restores the previous executable, in one step. Does nothing if it was restored already. */
const putBack = ({ executable, previous }: UpgradePaths): void => {
  if (!existsSync(previous)) return;
  renameSync(previous, executable);
  syncDirectory(dirname(executable));
};

/** The services that an upgrade uses, in addition to the files of the executable. */
export interface Host {
  /** Undefined if no service runs this executable now. */
  service: UpgradedService | undefined;
  dataDir: string;
  /** The newest migration of the database; undefined without a database. */
  newestMigration(): string | undefined;
  /** Backs up the database. @returns the file; undefined without a database */
  backUp(): Promise<string | undefined>;
  /** The copy that the server took before it migrated the database to its current state; undefined without one. */
  copyBeforeMigration(since: number): string | undefined;
  /** Replaces the database, with a command of this program. */
  restore(program: string, backup: string): Promise<void>;
  removeBackups(except: string | undefined): void;
  current: Omit<Version, "sha256">;
  now(): number;
  /** Reports a step to the user. */
  say(line: string): void;
  /** Logs a decision and its reason. Steps are printed by `say`. */
  debug(line: string): void;
}

export interface UpgradedService {
  stop(): Promise<void>;
  /** Starts it, or stops and starts it, and waits for `/readyz`. @returns why it is not ready; undefined if it is */
  restart(): Promise<string | undefined>;
}

export class RolledBack extends Error {
  override name = "RolledBack";
}

/** Neither version runs. */
export class RollbackFailed extends Error {
  override name = "RollbackFailed";
}

const inWords = ({ version, sha256 }: Version): string => `${version} (${sha256.slice(0, 12)})`;

const comparison = (from: string, to: string): string =>
  (["older than", "another build of", "newer than"] as const)[Bun.semver.order(to, from) + 1] ?? "unlike";

/** The place of a migration in the order: 21 for `0021_browser_states`. */
const positionOf = (migration: string): number => Number.parseInt(migration, 10);

/** The record of the last upgrade, if the version before it is still there. */
const undoableUpgrade = async (paths: UpgradePaths): Promise<UpgradeRecord | undefined> => {
  const record = readRecord(paths);
  const isThere = async (path: string) => existsSync(path) && (await hashFile(path)) === record?.from.sha256;
  return (await isThere(paths.previous)) || (await isThere(paths.executable)) ? record : undefined;
};

/** @throws OperatorError unless a program with this newest migration can open the database */
const assertOpens = async (
  source: string,
  newest: string | undefined,
  { newestMigration, debug }: Host,
  paths: UpgradePaths,
): Promise<void> => {
  const database = newestMigration();
  const accept = (why: string) => debug(`the new version can open the database: ${why}`);
  if (database === undefined) return accept("no database exists yet");
  if (newest === database) return accept(`both have migration ${newest}`);
  if (newest !== undefined && positionOf(newest) > positionOf(database))
    return accept(`it has migration ${newest}, and the database ${database}`);
  const reason =
    newest === undefined
      ? "it is an earlier build, which does not report its newest migration"
      : `its newest migration is ${newest}`;
  const rollback =
    (await undoableUpgrade(paths)) !== undefined
      ? " To go back to the previous version, run adoption-store upgrade --rollback."
      : "";
  throw new OperatorError(
    `${source} cannot open the database: ${reason}, and the database has ${database}. Choose a newer executable.${rollback}`,
  );
};

/** Restores the database from before the upgrade if the new version has migrated it. */
const restoreData = async (host: Host, paths: UpgradePaths, record: UpgradeRecord): Promise<void> => {
  if (record.migration === undefined || host.newestMigration() === record.migration)
    return host.say("the database was not migrated: it stays");
  const ownCopy = host.copyBeforeMigration(record.startedAt);
  const copy = ownCopy ?? record.backup;
  if (copy === undefined) throw new RollbackFailed("the database was migrated, and there is no backup");
  const reason = `the server made ${ownCopy === undefined ? "no" : "a"} copy before its migration`;
  host.debug(`restores the ${ownCopy === undefined ? "backup" : "copy"} of the database: ${reason}`);
  host.say(`restoring the database from ${copy}: ${record.to.version} has migrated it`);
  await host.restore(existsSync(paths.previous) ? paths.previous : paths.executable, copy);
};

/**
 * Goes back to the previous version. Every step can be repeated: the database first, because a migrated one with the new
 * version works as far as the new version does, and the previous version refuses it.
 */
const rollBackTo = async (host: Host, paths: UpgradePaths, record: UpgradeRecord): Promise<void> => {
  await writeRecord(paths, { ...record, state: "rolling_back" });
  if (host.service) {
    host.say("stopping the service");
    await host.service.stop();
  }
  await restoreData(host, paths, record);
  const isBack = (await hashFile(paths.executable)) === record.from.sha256;
  const isKept = isBack || !existsSync(paths.previous);
  const reason = `the executable ${isBack ? "has" : "does not have"} the hash of ${record.from.version}`;
  host.debug(`${isKept ? "keeps" : "puts back"} the executable: ${reason}`);
  if (!isKept) putBack(paths);
  host.say(`${record.from.version} is installed again`);
  if (host.service) {
    host.say("starting the service");
    const fault = await host.service.restart();
    if (fault !== undefined) throw new RollbackFailed(`${record.from.version} does not run either: ${fault}`);
  }
  rmSync(paths.record, { force: true });
};

/** Starts the new version. @throws RolledBack if it does not become ready */
const tryNew = async (host: Host, paths: UpgradePaths, record: UpgradeRecord): Promise<void> => {
  if (host.service) {
    host.say("restarting the service");
    const reason = await host.service.restart();
    if (reason !== undefined) {
      host.say(`${record.to.version} does not work: ${reason}`);
      await rollBackTo(host, paths, record);
      throw new RolledBack(
        `${record.to.version} does not work (${reason}): ${record.from.version} runs again`,
      );
    }
  } else host.debug("does not try the new version: no service runs this executable");
  await writeRecord(paths, { ...record, state: "done" });
  host.removeBackups(record.backup);
};

/**
 * Finishes the rollback of an earlier call that was killed.
 * @returns the record of an upgrade whose new version is installed, but was not tried to the end
 */
const finishEarlier = async (host: Host, paths: UpgradePaths): Promise<UpgradeRecord | undefined> => {
  const record = readRecord(paths);
  if (record?.state === "rolling_back") {
    host.say("an earlier rollback was interrupted: finishing it");
    await rollBackTo(host, paths, record);
    throw new RolledBack(`${record.from.version} runs again: to try once more, repeat the command`);
  }
  const isReplaced = record?.state === "replacing" && (await hashFile(paths.executable)) === record.to.sha256;
  const reason =
    record?.state === "replacing"
      ? `an upgrade to ${record.to.version} was interrupted ${isReplaced ? "after" : "before"} the executable was replaced`
      : "no upgrade was interrupted";
  host.debug(`${isReplaced ? "continues" : "begins"} an upgrade: ${reason}`);
  return isReplaced ? record : undefined;
};

const install = async (host: Host, paths: UpgradePaths, from: Version, to: Version): Promise<void> => {
  const startedAt = host.now();
  const migration = host.newestMigration();
  const backup = await host.backUp();
  if (backup !== undefined) host.say(`the database is saved in ${backup}`);
  const { dataDir } = host;
  const record: UpgradeRecord = { state: "replacing", from, to, startedAt, dataDir, migration, backup };
  await writeRecord(paths, record);
  keepPrevious(paths);
  putInPlace(paths);
  host.say(`${paths.executable} is replaced; the previous one is ${paths.previous}`);
  await tryNew(host, paths, record);
};

/**
 * Replaces the executable, restarts the service, and goes back if the new version does not become ready. A call that was
 * killed leaves an executable that is whole; the next call finishes or undoes the upgrade.
 * @param source a file or an HTTPS URL @returns `installed` if this version was installed already
 * @throws OperatorError, with nothing changed
 * @throws RolledBack, RollbackFailed
 */
export const upgrade = async (
  host: Host,
  paths: UpgradePaths,
  {
    source,
    sha256,
    onBytes,
  }: { source: string; sha256: string | undefined; onBytes: (bytes: number) => void },
): Promise<{ outcome: "upgraded" | "installed"; from: Version; to: Version }> => {
  const unfinished = await finishEarlier(host, paths);
  const candidate = await stageCandidate(source, paths.staged, sha256, onBytes);
  try {
    const to: Version = { version: candidate.version, sha256: candidate.sha256 };
    const from: Version = { ...host.current, sha256: await hashFile(paths.executable) };
    if (unfinished && unfinished.to.sha256 !== to.sha256)
      throw new OperatorError(
        `the upgrade to ${inWords(unfinished.to)} was interrupted: finish it with the same file, or run adoption-store upgrade --rollback`,
      );
    host.say(`${source} is ${inWords(to)}${candidate.isVerified ? ", with the right checksum" : ""}`);
    if (unfinished) {
      host.say("it is already installed: an earlier upgrade was interrupted");
      await tryNew(host, paths, unfinished);
      return { outcome: "upgraded", from: unfinished.from, to };
    }
    if (from.sha256 === to.sha256) return { outcome: "installed", from, to };
    await assertOpens(source, candidate.migration, host, paths);
    host.say(`it is ${comparison(from.version, to.version)} the installed one, ${inWords(from)}`);
    await install(host, paths, from, to);
    return { outcome: "upgraded", from, to };
  } finally {
    rmSync(paths.staged, { force: true });
  }
};

/** @throws OperatorError if there is nothing to go back to */
export const planRollback = async (host: Host, paths: UpgradePaths) => {
  const record = await undoableUpgrade(paths);
  if (!record)
    throw new OperatorError(
      `there is no previous version next to ${paths.executable}: adoption-store upgrade FILE installs an older one if it can open the database`,
    );
  return {
    record,
    /** True if the database returns to the time of the upgrade: later writes are lost. */
    losesData: record.migration !== undefined && host.newestMigration() !== record.migration,
    run: () => rollBackTo(host, paths, record),
  };
};

export type RollbackPlan = Awaited<ReturnType<typeof planRollback>>;
