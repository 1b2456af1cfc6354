import type { Warning } from "../http/health.ts";

/** A client's socket, and both ends of the one that joins it to the application. */
const PER_HTTPS_CONNECTION = 3;
/** For the database, the listeners and sites' files. */
const RESERVED = 256;
/** With fewer left hardly any request can be answered. */
const MIN_FREE = 16;

/**
 * How many files this process may open: the soft limit, which is told as Linux writes it in /proc/self/limits.
 * @returns Infinity if there is no limit, or none is told
 */
export const openFiles = (limits: string): number => {
  const [, soft = ""] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === "" ? Number.POSITIVE_INFINITY : Number(soft);
};

export interface DescriptorBudget {
  /** The most connections over HTTP, and the most over HTTPS: neither takes the other's. */
  connections: number;
  /** If these are fewer than wanted: what to do about it. */
  advice?: string;
}

/** Divides the files that may be opened between connections over HTTP and, if there is a port for it, over HTTPS. */
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

/** The files of this process. */
export interface FileUse {
  open: number;
  /** The most that may be open. */
  limit: number;
}

const freeOf = ({ open, limit }: FileUse): number => Math.max(0, limit - open);

const describe = ({ open, limit }: FileUse): string =>
  `${open} of ${limit} files are open: raise LimitNOFILE in the unit, or ulimit -n`;

/** @throws if there are too few left to do any work */
export const assertDescriptors = (use: FileUse): void => {
  if (freeOf(use) < MIN_FREE) throw new Error(describe(use));
};

/** A warning while the reserve is in use: `count` says how many files of it are. */
export const descriptorWarnings = (use: FileUse): Warning[] => {
  const count = Math.min(RESERVED, use.limit / 4) - freeOf(use);
  return count > 0 ? [{ code: "few_file_descriptors", count: Math.ceil(count), message: describe(use) }] : [];
};
