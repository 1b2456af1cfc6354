import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { removeTemporary } from "../backups/temporary-files.ts";
import { type BackupResult, takeBackup } from "../backups/backup.ts";
import { type CheckedBackup, checkBackup } from "../backups/check.ts";
import { backupName } from "../backups/file-names.ts";
import { reasonOf } from "../lib/reason.ts";
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

const MAX_KEPT = 10_000;

const keepOf = (text: string | undefined, isDirectory: boolean): number | undefined => {
  if (text === undefined) return undefined;
  if (!isDirectory)
    throw new UsageError("--keep: name a directory in place of a file: there it keeps the newest");
  if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > MAX_KEPT)
    throw new UsageError(`--keep: ${JSON.stringify(text)} is not a number from 1 to ${MAX_KEPT}`);
  return Number(text);
};

/** Ctrl-C leaves nothing half-written. */
const cleanOnSignals = (directory: string): void => {
  for (const [signal, code] of stopSignals())
    process.once(signal, () => {
      removeTemporary(directory, process.pid);
      process.exit(code);
    });
};

const printTaken = ({ file, bytes, secrets, sites, removed, leftAlone }: BackupResult, seconds: string) => {
  print(`${file}: ${formatBytes(bytes)}, checked, in ${seconds} s`);
  print(
    sites
      ? `Sites: ${sites.files} files, ${formatBytes(sites.bytes)}`
      : "Files of deployed sites are not in it (--no-sites)",
  );
  if (secrets === "included") print("Private keys are in it (--with-secrets): keep it as safe as DATA_DIR");
  if (secrets === "left_out")
    print(
      "Private keys are not in it: a server that it is restored to orders its certificates anew (--with-secrets)",
    );
  if (removed.length > 0) print(`Removed: ${removed.join(", ")}`);
  if (leftAlone.length > 0)
    print(
      `Not formatCount by --keep: ${leftAlone.join(", ")} (of another store, older than store ids, or damaged): remove them yourself when you do not need them`,
    );
};

/** Refuses flags that only make sense when a backup is taken. */
const assertNoBackupFlags = ({ force, keep, withSecrets, sites }: Options): void => {
  const flags = { force, keep, "with-secrets": withSecrets, "no-sites": !sites };
  const [given] = Object.entries(flags).find(([, value]) => value) ?? [];
  if (given !== undefined)
    throw new UsageError(`--${given} cannot be used with --check, which takes no backup`);
};

const printChecked = ({ file, bytes, migration, sites, secrets }: CheckedBackup) => {
  print(`${file}: ${formatBytes(bytes)}, can be restored (its newest migration is ${migration})`);
  print(
    sites
      ? `Sites: ${sites.files} files, ${formatBytes(sites.bytes)}, all intact`
      : "Files of deployed sites are not in it",
  );
  if (secrets) print("Private keys are in it: keep it as safe as DATA_DIR");
};

/** Checks a backup. Nothing is written, and DATA_DIR is not used. */
const check = (target: string, options: Options): void => {
  assertNoBackupFlags(options);
  const file = resolve(target);
  const shown = progressLine();
  let checked: CheckedBackup;
  try {
    checked = checkBackup(file, shown.show);
  } catch (error) {
    if (options.json) printJson({ file, ok: false, reason: reasonOf(error) });
    throw error;
  } finally {
    shown.end();
  }
  const { missing = 0 } = checked.sites ?? {};
  if (missing > 0)
    note(`${missing} files of deployed sites are not in it: they were missing when it was taken`);
  if (options.json) printJson({ ...checked, ok: true });
  else printChecked(checked);
};

export const backupCommand = (): Command =>
  withSettings(
    new Command("backup")
      .description(
        "write a backup of the database and the deployed sites, checked, while a server runs or not",
      )
      .argument(
        "<file>",
        "the file to write; or a directory: then it is named adoption-store-<UTC time>.db there",
      )
      .option("--check", "check that the file can be restored, and take no backup; nothing is written")
      .option("--force", "overwrite the file")
      .option(
        "--keep <number>",
        "with a directory: keep the newest <number> backups of this store there, and remove its older ones",
      )
      .option("--with-secrets", "take private keys of certificates and of ACME accounts along")
      .option("--no-sites", "leave the files of deployed sites out")
      .option("--json", "print JSON"),
    ["dataDir", "diskReserve"],
  )
    .addHelpText("after", "\nadoption-store restore <file> brings it back.")
    .action(async (target: string, options: Options) => {
      if (options.check) return check(target, options);
      const { dataDir, diskReserve } = configOf({ ...options, sites: undefined, json: undefined });
      const now = Date.now();
      const isDirectory = target.endsWith("/") || (existsSync(target) && statSync(target).isDirectory());
      const keep = keepOf(options.keep, isDirectory);
      const file = resolve(isDirectory ? join(target, backupName(now)) : target);
      const force = options.force === true;
      if (!force && existsSync(file))
        throw new UsageError(`${file} exists already: name another file, or overwrite it with --force`);
      cleanOnSignals(dirname(file));
      const shown = progressLine();
      const start = performance.now();
      let taken: BackupResult;
      try {
        taken = await takeBackup({
          dataDir,
          file,
          force,
          keep,
          now,
          secrets: options.withSecrets === true,
          sites: options.sites,
          reserve: diskReserve,
          onProgress: shown.show,
        });
      } finally {
        shown.end();
      }
      const { missing = 0 } = taken.sites ?? {};
      if (missing > 0)
        note(
          `${missing} files of deployed sites are missing or damaged in DATA_DIR, and not in this backup; no older one is removed: deploy those sites again, or delete the deploys that adoption-store doctor names`,
        );
      if (options.json) printJson(taken);
      else printTaken(taken, ((performance.now() - start) / 1000).toFixed(1));
    });
