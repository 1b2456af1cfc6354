import { readFileSync } from "node:fs";
import type { Warning } from "../http/health.ts";

/** A client's socket, and both ends of the one that joins it to the application. */
const PER_HTTPS_CONNECTION = 3;
/** For the database, the listeners and sites' files. */
const RESERVED = 256;
/** With fewer free descriptors, most requests fail. */
const MIN_FREE = 16;

/**
 * How many files this process may open: the soft limit.
 * @param limits the text of /proc/self/limits
 * @returns Infinity if there is no limit, or it is unknown
 */
export const openFiles = (limits: string): number => {
  const [, soft = ""] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === "" ? Number.POSITIVE_INFINITY : Number(soft);
};

/** How many files this process may open. The limit is unknown, and so Infinity, on systems other than Linux. */
export const processFileLimit = (): number => {
  try {
    return openFiles(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

export interface DescriptorBudget {
  /** The limit for connections over HTTP, and the same for HTTPS. */
  connections: number;
  /** What to do if these are fewer than wanted. */
  advice?: string;
}

/** Divides the files that may be open between connections over HTTP and, with an HTTPS port, over HTTPS. */
export const descriptorBudget = (wanted: number, files: number, hasHttps: boolean): DescriptorBudget => {
  const each = hasHttps ? 1 + PER_HTTPS_CONNECTION : 1;
  const needed = wanted * each + RESERVED;
  if (files >= needed) return { connections: wanted };
  const left = files - Math.min(RESERVED, files / 2);
  const connections = Math.max(1, Math.floor(left / each));
  return {
    connections,
    advice: `at most ${connections} connections over HTTP${hasHttps ? ", and as many over HTTPS," : ""} instead of ${wanted}: this process may open ${files} files; LimitNOFILE=${needed} in the unit, or ulimit -n ${needed}, allows them all`,
  };
};

/** How many files this process has open. */
export interface FileUse {
  open: number;
  /** The most that may be open. */
  limit: number;
}

const freeOf = ({ open, limit }: FileUse): number => Math.max(0, limit - open);

const describe = ({ open, limit }: FileUse): string =>
  `${open} of ${limit} files are open: raise LimitNOFILE in the unit, or ulimit -n`;

/** @throws if too few files can still be opened */
export const assertDescriptors = (use: FileUse): void => {
  if (freeOf(use) < MIN_FREE) throw new Error(describe(use));
};

/** A warning while the reserve is in use; `count` is the number of files used from it. */
export const descriptorWarnings = (use: FileUse): Warning[] => {
  const count = Math.min(RESERVED, use.limit / 4) - freeOf(use);
  return count > 0 ? [{ code: "few_file_descriptors", count: Math.ceil(count), message: describe(use) }] : [];
};
