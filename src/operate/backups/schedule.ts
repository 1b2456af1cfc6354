import type { Environment } from "../../config/sources.ts";
import type { Context } from "../../data/context.ts";
import { makeDirectories } from "../../lib/durable.ts";
import { ownProgram } from "../../lib/own-program.ts";
import { repeat } from "../../lib/poller.ts";
import { reasonOf } from "../../lib/reason.ts";
import type { Clock } from "../../lib/time.ts";
import { newestBackupIn } from "./backup-directory.ts";
import type { BackupResult } from "./backup.ts";
import { removeTemporary } from "./destination.ts";

/** The state of the scheduled backups. Times are milliseconds UTC. */
export interface BackupStatus {
  /** When the newest backup was taken; undefined before the first one. */
  lastSuccess: number | undefined;
  due: number;
  /** How many attempts have failed since the last success, and why the last one did. */
  failures: number;
  reason: string;
}

/** How late a backup may be before it counts as overdue. */
const GRACE_MS = 60 * 60_000;

/** True if a backup is overdue. @param every the schedule, in milliseconds */
export const isOverdue = (due: number, every: number, now: number): boolean =>
  now > due + Math.min(every, GRACE_MS);

const TICK_MS = 1000;
/** The pause after a failed backup: a full disk stays full for a while. */
const RETRY_MS = 15 * 60_000;

/** Takes a backup when one is due. `stop` ends a backup in progress. */
export const backupScheduler = ({
  every,
  newest,
  take,
  cancel,
  clock,
  onError,
}: {
  /** The time from one backup to the next, in milliseconds. */
  every: number;
  /** When the newest backup of this store was taken, manual ones included; undefined without one. */
  newest: () => number | undefined;
  take: () => Promise<void>;
  cancel: () => Promise<void>;
  clock: Clock;
  onError: (error: unknown) => void;
}) => {
  let next = 0;
  let state: BackupStatus | undefined;
  let isStopped = false;

  /** Earlier backups count, so that a restart takes none too early. */
  const initialStatus = (now: number): BackupStatus => {
    const first = { lastSuccess: undefined, due: now, failures: 0, reason: "" };
    try {
      const last = newest();
      next = last === undefined ? now : last + every;
      // If a backup became due while no server ran, it is due now.
      return { ...first, lastSuccess: last, due: Math.max(now, next) };
    } catch (error) {
      onError(error);
      next = now + Math.min(every, RETRY_MS);
      return { ...first, failures: 1, reason: reasonOf(error) };
    }
  };

  const attempt = async (start: number, before: BackupStatus) => {
    try {
      await take();
      next = start + every;
      state = { lastSuccess: start, due: next, failures: 0, reason: "" };
    } catch (error) {
      if (isStopped) return;
      next = start + Math.min(every, RETRY_MS);
      state = { ...before, failures: before.failures + 1, reason: reasonOf(error) };
      onError(error);
    }
  };

  const takeIfDue = async () => {
    const now = clock.now();
    state ??= initialStatus(now);
    // The clock was set back.
    if (next > now + every) next = now + every;
    if (state.due > now + every) state = { ...state, due: now + every };
    if (next <= now) await attempt(now, state);
  };

  const poller = repeat(TICK_MS, takeIfDue, { onError });
  return {
    ...poller,
    /** Undefined before the first tick. */
    status: () => state,
    start() {
      isStopped = false;
      poller.start();
    },
    async stop() {
      isStopped = true;
      const stopped = poller.stop();
      await cancel();
      await stopped;
      // Until it starts again, another node may take them.
      state = undefined;
    },
  };
};

interface BackupWarning {
  code: "backups_fail" | "backup_overdue";
  count: number;
  message: string;
}

const newestIn = ({ lastSuccess }: BackupStatus): string =>
  lastSuccess === undefined
    ? "there is no backup"
    : `the newest backup is from ${new Date(lastSuccess).toISOString()}`;

const failing = (status: BackupStatus): BackupWarning => ({
  code: "backups_fail",
  count: status.failures,
  message: `The last ${status.failures === 1 ? "attempt" : `${status.failures} attempts`} at a backup failed, and ${newestIn(status)}: ${status.reason}`,
});

const overdue = (status: BackupStatus): BackupWarning => ({
  code: "backup_overdue",
  count: 1,
  message: `A backup was due at ${new Date(status.due).toISOString()}, and ${newestIn(status)}: the server's log shows the reason.`,
});

/**
 * @param status undefined if no backups are scheduled, or if the server has just started
 * @param every the schedule, in milliseconds
 */
export const backupWarnings = (
  status: BackupStatus | undefined,
  every: number,
  now: number,
): BackupWarning[] => [
  ...(status && status.failures > 0 ? [failing(status)] : []),
  ...(status && isOverdue(status.due, every, now) ? [overdue(status)] : []),
];

const MAX_END_MS = 3000;

/** Takes backups in a separate process: copying takes seconds, during which the server must respond. */
const backupProcess = (argv: readonly string[], directory: string, env: Environment | undefined) => {
  let running: Bun.Subprocess | undefined;
  return {
    /** Runs the command `backup`. @returns its output @throws an error with its message */
    async take(): Promise<string> {
      const child = Bun.spawn([...argv], {
        ...(env && { env }),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      running = child;
      const [output, errors, code] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ]);
      running = undefined;
      if (code === 0) return output;
      removeTemporary(directory, child.pid);
      throw new Error(
        errors.trim().replace(/^adoption-store: /, "") || `the backup ended with exit code ${code}`,
      );
    },
    /** Ends the command, which removes its files. */
    async cancel(): Promise<void> {
      const child = running;
      if (!child) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), MAX_END_MS);
      await child.exited;
      clearTimeout(timer);
    },
  };
};

/**
 * The server's scheduled backups, each taken by a separate process; undefined without BACKUP_SCHEDULE.
 * @param storeId only backups of this store count, and are rotated
 * @param env the environment of the process; by default that of this one at its start
 * @param program the command line of this program
 */
export const serverBackups = (
  { config, clock, log }: Omit<Context, "database">,
  storeId: string | undefined,
  { env, program = ownProgram() }: { env?: Environment; program?: readonly string[] } = {},
) => {
  const { backupSchedule: every, backupDir: directory, dataDir } = config;
  if (every === undefined) return undefined;
  const reserve = `${Math.ceil(config.diskReserve / 2 ** 10)}KiB`;
  const flags = ["--data-dir", dataDir, "--disk-reserve", reserve, "--keep", String(config.backupKeep)];
  const argv = [...program, "backup", `${directory}/`, ...flags, "--scheduled", "--json"];
  const child = backupProcess(argv, directory, env);
  const take = async () => {
    makeDirectories(directory);
    const { file, bytes, sites, removed, leftAlone } = JSON.parse(await child.take()) as BackupResult;
    log.info({ file, bytes, removed: removed.length, leftAlone: leftAlone.length }, "backup taken");
    if (sites && sites.missing > 0)
      log.warn(
        { missing: sites.missing },
        "files of deployed sites are missing or damaged, and not in this backup, so no older backup was removed",
      );
  };
  const newest = () => newestBackupIn(directory, storeId, clock.now());
  const onError = (error: unknown) => log.error({ err: error }, "the backup failed");
  return backupScheduler({ every, newest, take, cancel: child.cancel, clock, onError });
};
