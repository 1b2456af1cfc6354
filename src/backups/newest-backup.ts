import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sudoCommand } from "../data-dir/shell.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { resultCode } from "../lib/storage-errors.ts";
import { storeIdentityIn } from "./backup-directory.ts";
import { checkBackup } from "./check.ts";
import { backupTime } from "./file-names.ts";

/** @throws OperatorError if the directory is missing, or this user may not read it */
const namesIn = (directory: string, dataDir: string): string[] => {
  try {
    return readdirSync(directory);
  } catch (error) {
    const advice =
      resultCode(error) === "EACCES"
        ? `this user may not read it. Run: ${sudoCommand(0, dataDir)}`
        : `it cannot be read (${reasonOf(error)}). Name a directory with backups, or a backup`;
    throw new OperatorError(`${directory}: ${advice}`, { cause: error });
  }
};

/**
 * Finds the newest backup in a directory that can be restored. Skips backups of other stores than the one in DATA_DIR.
 * @param onSkipped called with the reason for each newer backup
 * @throws OperatorError if there is none
 */
export const newestValidBackup = (
  directory: string,
  dataDir: string,
  {
    onProgress,
    onSkipped,
  }: { onProgress: (line: string, isStep?: boolean) => void; onSkipped: (reason: string) => void },
): string => {
  const names = namesIn(directory, dataDir);
  const own = storeIdentityIn(dataDir)?.id;
  // The names sort by time.
  for (const name of names
    .filter((one) => backupTime(one) !== undefined)
    .toSorted()
    .toReversed()) {
    const file = join(directory, name);
    try {
      const { store } = checkBackup(file, onProgress);
      if (own === undefined || store === undefined || store === own) return file;
      onSkipped(`${file} is a backup of another store`);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      onSkipped(reasonOf(error));
    }
  }
  throw new OperatorError(
    `${directory} contains no backup that can be restored. Name a file, or a directory that contains files named adoption-store-<UTC time>.db.`,
  );
};
