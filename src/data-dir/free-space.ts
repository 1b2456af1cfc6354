import { statfsSync } from "node:fs";
import { shellQuoted } from "./shell.ts";

/** The bytes that this user may still write to the file system of `directory`. */
export const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
};

/** @throws if DATA_DIR has fewer free bytes than `reserve` */
export const assertDiskReserve = (directory: string, reserve: number): void => {
  const free = freeBytes(directory);
  if (free < reserve)
    throw new Error(
      `${Math.floor(free / 2 ** 20)} MiB free in DATA_DIR, below DISK_RESERVE of ${Math.floor(reserve / 2 ** 20)} MiB`,
    );
};

/** True if the file system cannot hold another file. Some, such as btrfs, do not count inodes: their total is 0. */
export const hasNoInodes = (directory: string): boolean => {
  const { files, ffree } = statfsSync(directory);
  return files > 0 && ffree === 0;
};

/** A failed command removes its files before it looks for the cause, which frees some inodes. */
const MIN_FREE_INODES = 16;

/** True if a full file system lacks inodes, not room. */
const lacksInodes = (directory: string): boolean => {
  const { files, ffree, bavail } = statfsSync(directory);
  return files > 0 && (ffree === 0 || (ffree < MIN_FREE_INODES && bavail > 0));
};

/** What to do about a full file system. @param directory a directory on it */
export const fullDiskAdvice = (directory: string): string =>
  lacksInodes(directory)
    ? `its file system has no inodes left: remove files there (df -i ${shellQuoted(directory)} counts them)`
    : `its file system is full: make room there (df ${shellQuoted(directory)} shows how much is free)`;
