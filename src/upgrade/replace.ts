import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory } from "../lib/durable.ts";
import type { UpgradePaths } from "./record.ts";

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

/** Puts the previous executable back, in one step. Does nothing if it is back already. */
export const putBack = ({ executable, previous }: UpgradePaths): void => {
  if (!existsSync(previous)) return;
  renameSync(previous, executable);
  syncDirectory(dirname(executable));
};
