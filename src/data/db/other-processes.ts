import { Database as Client } from "bun:sqlite";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { attempt } from "../../lib/attempt.ts";
import { fileSize, readText } from "../../lib/files.ts";
import { isBusy } from "../../lib/storage-errors.ts";

/** The byte of the WAL index that a writer locks (https://sqlite.org/walformat.html, section 2.3.1). */
const WRITE_LOCK = 120;
const UNKNOWN = "another process";

/** A line of /proc/locks: `1: POSIX  ADVISORY  WRITE 812 fd:01:1234 120 120`. */
const LOCK = /^\d+: POSIX\s+ADVISORY\s+(\w+)\s+(\d+)\s+\w+:\w+:(\d+)\s+(\d+)\s+(\d+|EOF)$/;

/** The locks of all processes; none on systems other than Linux. */
const locks = () =>
  (readText("/proc/locks") ?? "").split("\n").flatMap((line) => {
    const [, kind, pid, inode, first, last] = LOCK.exec(line) ?? [];
    const covers = (byte: number) => Number(first) <= byte && (last === "EOF" || Number(last) >= byte);
    return kind === undefined ? [] : [{ kind, pid: Number(pid), inode: Number(inode), covers }];
  });

/** The program's name and its command, without further arguments, which may be secrets. */
const commandOf = (pid: number): string => {
  const [program = "", ...words] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const command = words.find((word) => !/\.[jt]s$/.test(word)) ?? "";
  return [basename(program), ...(/^[a-z]{1,20}$/.test(command) ? [command] : [])].join(" ");
};

/** True for a process that a signal has stopped (man proc_pid_stat: `T`). */
const isSuspended = (pid: number): boolean =>
  / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").slice(0, 3));

/** A suspended process has a remedy; one that just ended has no name. */
const describe = (pid: number): string =>
  attempt(() => {
    const advice = isSuspended(pid)
      ? `, which is suspended: resume it with "fg" in its terminal or "kill -CONT ${pid}", or end it`
      : "";
    return `process ${pid} (${commandOf(pid)})${advice}`;
  }) ?? UNKNOWN;

/** Describes the process that holds the write lock of this database, for operators. Only Linux can name it. */
export const lockHolder = (path: string): string => {
  const index = attempt(() => statSync(`${path}-shm`).ino);
  const holder = locks().find(
    ({ kind, pid, inode, covers }) => inode === index && kind === "WRITE" && covers(WRITE_LOCK) && pid > 0,
  );
  return !holder || holder.pid === process.pid ? UNKNOWN : describe(holder.pid);
};

/**
 * True if the process has this file open, or does not show its files. Inodes of other devices can have the same number, and
 * /proc/locks has other device numbers than stat(2) on Btrfs.
 */
const hasOpen = (pid: number, dev: number, ino: number): boolean => {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) =>
      statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false }),
    );
    return files.some((file) => file?.dev === dev && file.ino === ino);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
};

/**
 * Describes a process that has locked the database or the index of its log, as every open connection does. It opens neither:
 * SQLite would change a damaged file. Only Linux shows it.
 */
export const holderOf = (path: string): string | undefined => {
  const files = [path, `${path}-shm`].flatMap((file) => statSync(file, { throwIfNoEntry: false }) ?? []);
  const holder = locks().find(
    ({ pid, inode }) =>
      pid !== process.pid && files.some(({ dev, ino }) => ino === inode && hasOpen(pid, dev, ino)),
  );
  return holder && describe(holder.pid);
};

/**
 * True if another connection has this database open. If none has, this copies the log into the database, as a close does.
 * Other faults of the database are left to the process that opens it next.
 */
export const isOpenElsewhere = (path: string): boolean => {
  // SQLite deletes the log of a database that has no bytes.
  if (fileSize(path) === 0) return false;
  try {
    using client = new Client(path, { readwrite: true });
    client.run("PRAGMA locking_mode=EXCLUSIVE");
    client.query("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isBusy(error);
  }
};
