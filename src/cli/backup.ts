import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { siteStorage } from "../app/objects.ts";
import { removeTemporary } from "../backups/temporary-files.ts";
import { type BackupResult, takeBackup } from "../backups/backup.ts";
import { type CheckedBackup, checkBackup } from "../backups/check.ts";
import { assertDestination, existsMessage } from "../backups/destination.ts";
import { backupName } from "../backups/file-names.ts";
import { reasonOf } from "../lib/reason.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { stopSignals } from "./signals.ts";
import { formatBytes } from "./print/format.ts";
import { progressLine } from "./print/progress.ts";
import { configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { note, print, printJson } from "./print/output.ts";

interface Options extends Record<string, unknown> {
  check?: boolean;
  force?: boolean;
  keep?: string;
  withSecrets?: boolean;
  sites: boolean;
  json?: boolean;
}

const MAX_KEEP = 10_000;

const keepOf = (text: string | undefined, isDirectory: boolean): number | undefined => {
  if (text === undefined) return undefined;
  if (!isDirectory)
    throw new UsageError("--keep needs a directory, not a file: it keeps the newest backups there");
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > MAX_KEEP)
    throw new UsageError(`--keep: ${JSON.stringify(text)} is not a number from 1 to ${MAX_KEEP}`);
  return Number(text);
};

/** Removes the unfinished backup if a signal ends the command. */
const cleanUpOnSignals = (directory: string): void => {
  for (const [signal, code] of stopSignals())
    process.once(signal, () => {
      removeTemporary(directory, process.pid);
      process.exit(code);
    });
};

const printBackup = ({ file, bytes, secrets, sites, removed, leftAlone }: BackupResult, seconds: string) => {
  print(`${file}: ${formatBytes(bytes)}, checked, in ${seconds} s`);
  print(
    sites
      ? `Sites: ${sites.files} files, ${formatBytes(sites.bytes)}`
      : "Without the files of deployed sites (--no-sites)",
  );
  if (secrets === "included") print("With private keys (--with-secrets): keep it as safe as DATA_DIR");
  if (secrets === "left_out")
    print(
      "Without private keys: after a restore the server orders new certificates (--with-secrets includes the keys)",
    );
  if (removed.length > 0) print(`Removed: ${removed.join(", ")}`);
  if (leftAlone.length > 0)
    print(
      `Not counted by --keep: ${leftAlone.join(", ")} (of another store, older than store ids, or damaged): remove them yourself when you no longer need them`,
    );
};

/** Refuses flags for taking a backup. @throws UsageError */
const assertNoBackupFlags = ({ force, keep, withSecrets, sites }: Options): void => {
  const flags = { force, keep, "with-secrets": withSecrets, "no-sites": !sites };
  const [flag] = Object.entries(flags).find(([, value]) => value) ?? [];
  if (flag !== undefined)
    throw new UsageError(
      `--${flag} cannot be used with --check, which takes no backup: leave out one of the two`,
    );
};

const printChecked = ({ file, bytes, migration, sites, secrets, origin }: CheckedBackup) => {
  print(`${file}: ${formatBytes(bytes)}, can be restored (its newest migration is ${migration})`);
  print(
    sites
      ? `Sites: ${sites.files} files, ${formatBytes(sites.bytes)}, all intact`
      : "Without the files of deployed sites",
  );
  if (secrets) print("With private keys: keep it as safe as DATA_DIR");
  if (origin) print(`Taken in a cluster, at position ${origin.position} of log ${origin.log}`);
};

/** Checks a backup. Writes nothing and does not use DATA_DIR. */
const check = (target: string, options: Options): void => {
  assertNoBackupFlags(options);
  const file = resolve(target);
  const progress = progressLine();
  let backup: CheckedBackup;
  try {
    backup = checkBackup(file, progress.show);
  } catch (error) {
    if (options.json) printJson({ file, ok: false, reason: reasonOf(error) });
    throw error;
  } finally {
    progress.end();
  }
  const { missing = 0 } = backup.sites ?? {};
  if (missing > 0)
    note(`${missing} files of deployed sites are missing: they were missing when the backup was taken`);
  if (options.json) printJson({ ...backup, ok: true });
  else printChecked(backup);
};

const BACKUP_TEXTS: CommandTexts = {
  notes: ["To restore a backup, run adoption-store restore <file>."],
  examples: [
    {
      text: "Back up to a directory, and keep the newest 14",
      line: "adoption-store backup /mnt/backups/ --keep 14",
    },
    {
      text: "Check that a backup can be restored",
      line: "adoption-store backup --check backup.db",
    },
  ],
};

export const backupCommand = (): Command =>
  withSettings(
    withTexts(new Command("backup"), BACKUP_TEXTS)
      .summary("back up the database and the sites")
      .description(
        "write a backup of the database and the deployed sites to a file, and check it; the server may be running",
      )
      .argument("<file>", "file to write; in a directory its name is adoption-store-<UTC time>.db")
      .option("--check", "only check that the file can be restored")
      .option("--force", "overwrite the file")
      .option(
        "--keep <number>",
        "in a directory, keep this many backups of this store, and remove older ones",
      )
      .option("--with-secrets", "include the private keys of certificates and of ACME accounts")
      .option("--no-sites", "leave out the files of deployed sites")
      .option("--json", "print JSON"),
    [],
    ["diskReserve"],
  ).action(async (target: string, options: Options) => {
    if (options.check) return check(target, options);
    const config = configOf({ ...options, sites: undefined, json: undefined });
    const { dataDir, diskReserve } = config;
    const now = Date.now();
    const isDirectory = target.endsWith("/") || (existsSync(target) && statSync(target).isDirectory());
    const keep = keepOf(options.keep, isDirectory);
    const file = resolve(isDirectory ? join(target, backupName(now)) : target);
    const force = options.force === true;
    if (!force && existsSync(file)) {
      assertDestination(file, dataDir);
      throw new UsageError(existsMessage(file));
    }
    cleanUpOnSignals(dirname(file));
    const progress = progressLine();
    const start = performance.now();
    let result: BackupResult;
    try {
      result = await takeBackup({
        dataDir,
        file,
        force,
        keep,
        now,
        secrets: options.withSecrets === true,
        sites: options.sites,
        storage: options.sites ? siteStorage(config) : undefined,
        reserve: diskReserve,
        onProgress: progress.show,
      });
    } finally {
      progress.end();
    }
    const { missing = 0 } = result.sites ?? {};
    if (missing > 0)
      note(
        `${missing} files of deployed sites are missing or damaged in DATA_DIR, and not in this backup, so no older backup was removed: deploy those sites again, or delete the deploys that adoption-store doctor names`,
      );
    if (options.json) printJson(result);
    else printBackup(result, ((performance.now() - start) / 1000).toFixed(1));
  });
