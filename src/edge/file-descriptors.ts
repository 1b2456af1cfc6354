import { readFileSync } from "node:fs";
import type { Warning } from "../http/health.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { withReserve } from "../protocols/tls/response-budget.ts";

/** The client's socket, and the file of a response. */
const FILES_PER_HTTP_CONNECTION = 2;
/** The same, plus both ends of the connection between the TLS socket and the HTTP server. */
const FILES_PER_HTTPS_CONNECTION = 4;
/** Descriptors for the database and the listeners. */
const RESERVED_FILES = 256;
/** The limit of responses over HTTP/2, as a share of all descriptors. Their reserve has the same size. */
const MAX_RESPONSE_SHARE = 1 / 8;
/** Below this share of the limit of connections, the server advises more descriptors. Above it, the limit adapts silently. */
const MIN_CONNECTION_SHARE = 1 / 2;
/** With fewer free descriptors, most requests fail. */
const MIN_FREE_FILES = 16;
/** A server has some 20 files open, and 4 for each worker. Ports for HTTPS and DNS add a few. */
const MIN_FILES = 64;
const FILES_PER_WORKER = 4;

/**
 * The soft limit of open files.
 * @param limits the text of /proc/self/limits
 * @returns Infinity without a limit, or if it is unknown
 */
export const openFilesLimit = (limits: string): number => {
  const [, soft = ""] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === "" ? Number.POSITIVE_INFINITY : Number(soft);
};

/** The number of files that this process may open; Infinity if unknown, as on systems other than Linux. */
export const processFileLimit = (): number => {
  try {
    return openFilesLimit(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/** @throws OperatorError if so many processes cannot serve with so few files */
export const assertFileLimit = (files: number, processes: number): void => {
  const needed = MIN_FILES + FILES_PER_WORKER * (processes - 1);
  if (files >= needed) return;
  throw new OperatorError(
    `this process may open only ${files} files: raise LimitNOFILE in the unit, or ulimit -n, to ${needed} or more`,
  );
};

export interface DescriptorBudget {
  /** The limit of connections over HTTP, and also of those over HTTPS. */
  maxConnections: number;
  /** The limit of responses over HTTP/2 in progress, without the reserve. */
  maxResponses: number;
  /** Advice for the operator if the limit is far too low. */
  advice?: string;
}

/** Divides the descriptors between connections over HTTP and, if there is an HTTPS port, over HTTPS. */
export const descriptorBudget = (
  wanted: number,
  responses: number,
  files: number,
  hasHttps: boolean,
): DescriptorBudget => {
  const filesPerConnection = FILES_PER_HTTP_CONNECTION + (hasHttps ? FILES_PER_HTTPS_CONNECTION : 0);
  const wantedResponses = hasHttps ? responses : 0;
  const needed = wanted * filesPerConnection + withReserve(wantedResponses) + RESERVED_FILES;
  if (files >= needed) return { maxConnections: wanted, maxResponses: responses };
  const maxResponses = Math.min(wantedResponses, Math.ceil(files * MAX_RESPONSE_SHARE));
  const left = files - Math.min(RESERVED_FILES, files / 2) - withReserve(maxResponses);
  const maxConnections = Math.max(1, Math.floor(left / filesPerConnection));
  if (maxConnections >= wanted * MIN_CONNECTION_SHARE) return { maxConnections, maxResponses };
  return {
    maxConnections,
    maxResponses,
    advice: `at most ${maxConnections} connections over HTTP${hasHttps ? ", and as many over HTTPS," : ""} instead of ${wanted}: this process may open ${files} files; LimitNOFILE=${needed} in the unit, or ulimit -n ${needed}, allows them all`,
  };
};

/**
 * The limit of open event streams, and advice for the operator if it is too low. Each stream holds a connection, so streams
 * get at most half of them. Requests get the others.
 */
export const streamBudget = (wanted: number, { maxConnections }: DescriptorBudget) => {
  const limit = Math.max(1, Math.floor(maxConnections / 2));
  if (wanted <= limit) return { maxStreams: wanted };
  return {
    maxStreams: limit,
    advice: `at most ${limit} event streams instead of ${wanted}, because each holds one of ${maxConnections} connections: raise LimitNOFILE in the unit, or ulimit -n`,
  };
};

/** How many files this process has open. */
export interface FileUse {
  open: number;
  /** How many may be open. */
  limit: number;
}

const freeOf = ({ open, limit }: FileUse): number => Math.max(0, limit - open);

const describe = ({ open, limit }: FileUse): string =>
  `${open} of ${limit} files are open: raise LimitNOFILE in the unit, or ulimit -n`;

/** @throws if too few files can still be opened */
export const assertDescriptors = (use: FileUse): void => {
  if (freeOf(use) < MIN_FREE_FILES) throw new Error(describe(use));
};

/** @throws if clients use the whole limit of responses over HTTP/2, and only the reserve is left for others */
export const assertResponses = ({ open, limit }: { open: number; limit: number }): void => {
  if (open >= limit)
    throw new Error(`${open} of ${limit} responses over HTTP/2 are open: clients are not reading them`);
};

/** A warning while the reserve is in use; `count` is how many of its descriptors are used. */
export const descriptorWarnings = (use: FileUse): Warning[] => {
  const count = Math.min(RESERVED_FILES, use.limit / 4) - freeOf(use);
  return count > 0 ? [{ code: "few_file_descriptors", count: Math.ceil(count), message: describe(use) }] : [];
};
