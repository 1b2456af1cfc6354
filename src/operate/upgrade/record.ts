import { existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory, writeDurably } from "../../lib/durable.ts";

/** A version of the program: its claimed version, and its hash. */
export interface Version {
  version: string;
  sha256: string;
}

/**
 * The state of an upgrade. It is on disk before each step, so that the next call can finish or undo it after a crash:
 *
 * - `replacing`: the executable is replaced and the new one is tried. Until the executable has the hash of `to`, nothing has
 *   happened yet.
 * - `rolling_back`: the new executable failed, and the previous state is being restored.
 * - `done`: the new version works. `previous` and the backup are kept for a rollback by hand.
 */
export interface UpgradeRecord {
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

export const writeRecord = ({ record }: UpgradePaths, value: UpgradeRecord): Promise<void> =>
  writeDurably(record, `${JSON.stringify(value, null, 2)}\n`);

export const removeRecord = ({ record }: UpgradePaths): void => rmSync(record, { force: true });

/** Keeps the executable as the previous one, in one step. */
export const keepPrevious = ({ executable, previous }: UpgradePaths): void => {
  const temporary = `${previous}.new`;
  rmSync(temporary, { force: true });
  linkSync(executable, temporary);
  renameSync(temporary, previous);
  syncDirectory(dirname(executable));
};

/** Puts the new executable in its place, in one step: at each moment, one of the two is there, whole. */
export const putInPlace = ({ executable, staged }: UpgradePaths): void => {
  renameSync(staged, executable);
  syncDirectory(dirname(executable));
};

/** Restores the previous executable, in one step. Does nothing if it was restored already. */
export const putBack = ({ executable, previous }: UpgradePaths): void => {
  if (!existsSync(previous)) return;
  renameSync(previous, executable);
  syncDirectory(dirname(executable));
};
