import { statSync } from "node:fs";
import { dirname } from "node:path";
import { freeBytes, fullDiskAdvice, hasNoInodes } from "../data-dir/storage.ts";
import { hasSecrets } from "../db/secrets.ts";
import { type Client, sizeOf } from "../db/snapshot.ts";
import { OperatorError } from "../lib/operator-error.ts";

const asMegabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

/** @param needed the backup's size in bytes; 0 if it is not known yet */
export const noRoomError = (directory: string, needed: number) =>
  new OperatorError(
    hasNoInodes(directory)
      ? `${directory}: ${fullDiskAdvice(directory)}, or choose another directory`
      : `${directory} has no room for the backup${needed > 0 ? `, which needs about ${asMegabytes(needed)}` : ""}: make room there, or choose another directory`,
  );

/** The bytes that a backup of the database needs. Leaving out private keys takes a second copy. */
export const databaseSpace = (source: Client, { secrets }: { secrets: boolean }): number =>
  sizeOf(source) * (!secrets && hasSecrets(source) ? 2 : 1);

/**
 * @param reserve bytes that stay free on the file system of DATA_DIR
 * @throws OperatorError if the directory of the file has fewer free bytes than `needed`
 */
export const assertRoom = (
  { file, dataDir, reserve }: { file: string; dataDir: string; reserve: number },
  needed: number,
): void => {
  const directory = dirname(file);
  const isShared = statSync(directory).dev === statSync(dataDir).dev;
  if (freeBytes(directory) < needed + (isShared ? reserve : 0)) throw noRoomError(directory, needed);
};
