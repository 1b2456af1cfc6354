import { statSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../../lib/durable.ts";
import { quantity } from "../../lib/quantity.ts";
import { readText, readJson } from "../../lib/files.ts";

/** Why a server has fewer workers than it should. */
export interface MissingWorkers {
  count: number;
  /** RFC 3339. */
  since: string;
  /** Why the last one ended. */
  reason: string;
}

export const describeMissing = ({ count, since, reason }: MissingWorkers): string =>
  `${quantity(count, "worker")} fewer than WORKERS requires, since ${since}: the last one ended (${reason}). The server starts ${count === 1 ? "another" : "others"}; see its log.`;

/** A server's data about its process, for commands that run alongside it. */
export interface ProcessRecord {
  pid: number;
  version: string;
  /** Milliseconds UTC. */
  startedAt: number;
  /** Undefined if the program runs from its source. */
  executable?: ExecutableFile | undefined;
  /** The address of PORT on this machine. */
  url: string;
  /** The host on which PORT listens. */
  host: string;
  /** The process ids of its workers; absent without any. */
  workers?: readonly number[];
  /** Absent if all workers run. */
  missingWorkers?: MissingWorkers | undefined;
}

export const processRecordPath = (dataDir: string): string => join(dataDir, "process.json");

const fileOf = (path: string) => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { path, inode: found.ino, modifiedAt: found.mtimeMs };
};

type ExecutableFile = NonNullable<ReturnType<typeof fileOf>>;

export const ownExecutable = (): ExecutableFile | undefined =>
  Bun.isStandaloneExecutable ? fileOf(process.execPath) : undefined;

/** True if another file has taken the place of the executable since the process started. */
export const isReplaced = ({ executable }: ProcessRecord): boolean => {
  const now = executable && fileOf(executable.path);
  return now !== undefined && (now.inode !== executable?.inode || now.modifiedAt !== executable.modifiedAt);
};

/** The resident memory of a process in bytes; undefined if it has ended, or the system does not report it. */
export const residentMemory = (pid: number): number | undefined => {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`) ?? "") ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
};

/** @throws the system's error */
export const saveProcessRecord = (dataDir: string, record: ProcessRecord): Promise<void> =>
  writeDurably(processRecordPath(dataDir), `${JSON.stringify(record, null, 2)}\n`);

const isRecord = (value: unknown): value is ProcessRecord => {
  const { pid, version, startedAt, url, host } = (value ?? {}) as Record<string, unknown>;
  return (
    [pid, startedAt].every((field) => typeof field === "number") &&
    [version, url, host].every((field) => typeof field === "string")
  );
};

/** The record of the last server of a DATA_DIR; undefined before the first, or if the file is damaged. */
export const readProcessRecord = (dataDir: string): ProcessRecord | undefined => {
  const value = readJson(processRecordPath(dataDir));
  return isRecord(value) ? value : undefined;
};

/** The systemd service that runs the server of a DATA_DIR; undefined if none does, or the system does not report it. */
export const unitOfServer = (dataDir: string): string | undefined => {
  const cgroup = readText(`/proc/${readProcessRecord(dataDir)?.pid}/cgroup`) ?? "";
  return /\/system\.slice\/([\w@.-]+)\.service\s*$/m.exec(cgroup)?.[1];
};
