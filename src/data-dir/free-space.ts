import { statfsSync } from "node:fs";
import { shellQuoted } from "./shell.ts";

/** Bytes that are free on the file system of `directory`, for this user. */
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

/** True if the file system can make no more files. Some, such as btrfs, do not count them: they have 0 in all. */
export const hasNoInodes = (directory: string): boolean => {
  const { files, ffree } = statfsSync(directory);
  return files > 0 && ffree === 0;
};

/** Inodes that a command gives back when it fails, before the cause is looked for. */
const MIN_FREE_INODES = 16;

/** True if a file system that is full lacks inodes, not room. */
const lacksInodes = (directory: string): boolean => {
  const { files, ffree, bavail } = statfsSync(directory);
  return files > 0 && (ffree === 0 || (ffree < MIN_FREE_INODES && bavail > 0));
};

/** What to do about a full file system. @param directory a directory on it */
export const fullDiskAdvice = (directory: string): string =>
  lacksInodes(directory)
    ? `its file system has no inodes left: remove files there (df -i ${shellQuoted(directory)} counts them)`
    : `its file system is full: make room there (df ${shellQuoted(directory)} shows how much is free)`;
