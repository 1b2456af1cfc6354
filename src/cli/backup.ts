import { createReadStream, existsSync, openSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { siteStorage } from "../operate/backups/site-storage.ts";
import { type BackupOptions, type BackupResult, takeBackup } from "../operate/backups/backup.ts";
import { checkBackup, type CheckedBackup } from "../operate/backups/check.ts";
import { assertDestination, existsMessage, removeTemporary } from "../operate/backups/destination.ts";
import { backupName } from "../operate/backups/file-names.ts";
import { newestValidBackup } from "../operate/backups/backup-directory.ts";
import { prepareRestore, type RestoreResult } from "../operate/backups/restore.ts";
import type { Config } from "../config/config.ts";
import { clockJump, describeJump } from "../data/data-dir/clock.ts";
import { REMEDY, describeDifferences } from "../data/db/derived.ts";
import { SERVICE as SERVICE_ACTOR, OPERATOR } from "../lib/actor.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { quantity } from "../lib/quantity.ts";
import { reasonOf } from "../lib/reason.ts";
import { resultCode } from "../lib/storage-errors.ts";
import { adopterRepository } from "../store/orders/erasure.ts";
import { SERVICE, STATE_DIRECTORY } from "../operate/service/unit.ts";
import { command, type Input } from "./command.ts";
import { assertConfirmed, UsageError } from "./input.ts";
import { formatBytes, note, print, printJson, progressLine } from "./print/output.ts";
import { record } from "./database.ts";
import { serveCommand, configOf } from "./settings.ts";
import { stopSignals } from "./signals.ts";

const BACKUP_TAKES = {
  "<file...>":
    "file to write, or - for standard output; in a directory, the file is named adoption-store-<UTC time>.db; with --check, one or more backups",
  "--check": "only check that each file can be restored",
  "--force": "overwrite the file",
  "--keep <number>": "in a directory, keep this many backups of this store, and remove older ones",
  "--with-secrets": "include the private keys of certificates and of ACME accounts",
  "--no-sites": "leave out the files of deployed sites",
  "--scheduled": { text: "taken by the server's schedule", hidden: true },
  "--json": "print JSON",
} as const;

type BackupFlags = Omit<Input<typeof BACKUP_TAKES>, "file" | "check">;

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
const assertNoBackupFlags = ({ force, keep, withSecrets, sites }: BackupFlags): void => {
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

const NO_SHA256 =
  "the backup has no SHA-256, because an older version took it: a changed row cannot be detected";

const noteDigest = (hasDigest: boolean, unreadableDigest: string | undefined): void => {
  if (!hasDigest) note(NO_SHA256);
  if (unreadableDigest !== undefined)
    note(`${unreadableDigest} is not readable as a file of sha256sum: it was not compared with the backup`);
};

/** Checks a backup. Writes nothing and does not use DATA_DIR. @throws OperatorError if it cannot be restored */
const check = (file: string, { json }: BackupFlags): void => {
  using progress = progressLine();
  let backup: CheckedBackup;
  try {
    backup = checkBackup(file, progress.show);
  } catch (error) {
    if (json) printJson({ file, ok: false, reason: reasonOf(error) });
    throw error;
  }
  progress.end();
  const { missing = 0 } = backup.sites ?? {};
  if (missing > 0)
    note(`${missing} files of deployed sites are missing: they were missing when the backup was taken`);
  noteDigest(backup.sha256 !== undefined, backup.unreadableDigest);
  if (backup.differences.length > 0)
    note(
      `${describeDifferences(backup.differences)}: every row can be restored; after a restore, run adoption-store doctor`,
    );
  if (json) printJson({ ...backup, ok: true });
  else printChecked(backup);
};

/** Checks every backup, even after a damaged one. `--json` prints one line per backup. @throws OperatorError */
const checkAll = (targets: readonly string[], options: BackupFlags): void => {
  assertNoBackupFlags(options);
  const [only, ...others] = targets.map((target) => resolve(target));
  if (only !== undefined && others.length === 0) return check(only, options);
  const damaged = targets.filter((target) => {
    try {
      check(resolve(target), options);
      return false;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      note(reasonOf(error));
      return true;
    }
  });
  if (damaged.length > 0)
    throw new OperatorError(`${damaged.length} of ${targets.length} backups cannot be restored`);
};

const recordBackup = (config: Config, target: string, { scheduled }: BackupFlags): Promise<void> =>
  record(config, { action: "backup.taken", id: target }, scheduled ? SERVICE_ACTOR : OPERATOR);

/** The only target of a command that takes a backup. @throws UsageError */
const targetOf = (targets: readonly string[]): string => {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0)
    throw new UsageError("name exactly one file to write; only --check accepts several files");
  return target;
};

/** Standard output, as the target of a backup. */
const STDOUT = "-";

/** Writes a backup to standard output through a temporary file in DATA_DIR. SIGINT and SIGTERM remove the file. */
const backUpToStdout = async (config: Config, options: BackupFlags): Promise<void> => {
  const { dataDir } = config;
  for (const flag of ["force", "keep", "json"] as const)
    if (options[flag]) throw new UsageError(`--${flag} cannot be used with standard output: omit the flag`);
  if (process.stdout.isTTY)
    throw new UsageError(
      "a backup is binary, and standard output is a terminal: redirect standard output, or name a file",
    );
  const { file, bytes } = await write(config, join(dataDir, backupName(Date.now())), {
    ...options,
    isTemporary: true,
  });
  const fd = openSync(file, "r");
  rmSync(file);
  try {
    await pipeline(createReadStream("", { fd }), process.stdout, { end: false });
  } catch (error) {
    if (resultCode(error) === "EPIPE")
      throw new OperatorError("the reader closed standard output before the backup was complete", {
        cause: error,
      });
    // main.ts reports the other errors of standard output.
    if (process.exitCode !== 1) throw error;
    return;
  }
  await recordBackup(config, "standard output", options);
  note(`Wrote and verified a backup of ${formatBytes(bytes)}.`);
};

const write = async (
  config: Config,
  file: string,
  { force, withSecrets, sites, isTemporary = false }: BackupFlags & Pick<BackupOptions, "isTemporary">,
  keep?: number,
): Promise<BackupResult> => {
  const { dataDir, diskReserve } = config;
  cleanUpOnSignals(dirname(file));
  using progress = progressLine();
  const result = await takeBackup({
    dataDir,
    file,
    force: force === true,
    keep,
    now: Date.now(),
    secrets: withSecrets === true,
    sites,
    isTemporary,
    storage: sites ? siteStorage(config) : undefined,
    reserve: diskReserve,
    onProgress: progress.show,
  });
  progress.end();
  const jump = keep === undefined ? undefined : clockJump(dataDir, Date.now());
  if (jump) note(`no older backup was removed. ${describeJump(jump)}`);
  const { missing = 0 } = result.sites ?? {};
  if (missing > 0)
    note(
      `${missing} files of deployed sites are missing or damaged in DATA_DIR, and not in this backup, so no older backup was removed: deploy those sites again, or delete the deploys that adoption-store doctor names`,
    );
  return result;
};

export const backupCommand = command({
  name: "backup",
  summary: "back up the database and the sites",
  description:
    "write a backup of the database and the deployed sites to a file, and check it; the server may be running",
  takes: BACKUP_TAKES,
  hiddenSettings: ["diskReserve"],
  notes: ["To restore a backup, run adoption-store restore <backup>."],
  examples: {
    "Back up to a directory, and keep the newest 14": "/mnt/backups/ --keep 14",
    "Check that backups can be restored": "--check backups/*.db",
    "Back up to another machine": "- | ssh backup.example.org 'cat > adoption-store.db'",
  },
  async run({ file: targets, check: isCheck, ...flags }) {
    if (isCheck) return checkAll(targets, flags);
    const target = targetOf(targets);
    const config = configOf(flags);
    if (target === STDOUT) return backUpToStdout(config, flags);
    const isDirectory = target.endsWith("/") || (existsSync(target) && statSync(target).isDirectory());
    const keep = keepOf(flags.keep, isDirectory);
    const file = resolve(isDirectory ? join(target, backupName(Date.now())) : target);
    if (!flags.force && existsSync(file)) {
      assertDestination(file, config.dataDir);
      throw new UsageError(existsMessage(file));
    }
    const start = performance.now();
    const result = await write(config, file, flags, keep);
    await recordBackup(config, basename(file), flags);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    return { json: result, text: () => printBackup(result, seconds) };
  },
});

const startCommand = (dataDir: string): string =>
  dataDir === STATE_DIRECTORY ? `systemctl start ${SERVICE}` : serveCommand(dataDir);

const namesOf = (rows: readonly { id: number; name: string }[]): string =>
  rows.map(({ id, name }) => `${id} (${name})`).join(", ");

/** What an operator has to decide again after a restore. */
const undoneTexts = (undone: RestoreResult["undone"]): string[] => {
  if (typeof undone === "string")
    return [
      `Not known: keys revoked, people removed and adopters erased since the backup, because ${undone}. Compare with your records.`,
    ];
  const { keys, people, adopters, orders, cancelled, unerased } = undone;
  return [
    keys.length > 0 &&
      `These keys or their old secrets work again: ${namesOf(keys)}. To revoke one: adoption-store keys revoke ID`,
    people.length > 0 &&
      `These people were removed, and can sign in again: ${namesOf(people)}. To remove one: adoption-store people remove ID`,
    adopters > 0 &&
      `Erased again, because they had been erased after the backup: ${quantity(adopters, "adopter")}, in ${quantity(orders, "order")}${cancelled.length > 0 ? ` (cancelled open orders: ${cancelled.join(", ")})` : ""}. The backup still contains them.`,
    unerased.length > 0 &&
      `The adopters of the orders ${unerased.join(", ")} were erased after the backup, and are back: start the server, then run adoption-store orders forget EMAIL for each`,
  ].filter((text) => text !== false);
};

const printRestored = ({ bytes, aside, sites, undone }: RestoreResult, dataDir: string) => {
  print(`Restored to ${dataDir}: ${formatBytes(bytes)}, checked`);
  if (sites.files > 0) print(`Sites: ${quantity(sites.files, "file")}`);
  if (aside !== undefined)
    print(`The previous database is kept as ${aside}: remove it when you no longer need it`);
  for (const text of undoneTexts(undone)) print(text);
  print("The API keys are those of the backup. To create another: adoption-store keys create --help");
  print(`To start the server: ${startCommand(dataDir)}`);
};

/** Stands for the newest valid backup in BACKUP_DIR. */
const LATEST = "latest";

/** The backup to restore: a file, or the newest valid one in a directory. @throws OperatorError */
const backupAt = (target: string, { dataDir, backupDir }: Config): string => {
  const path = resolve(target === LATEST ? backupDir : target);
  if (target !== LATEST && !(existsSync(path) && statSync(path).isDirectory())) return path;
  using progress = progressLine();
  const file = newestValidBackup(path, dataDir, {
    onProgress: progress.show,
    onSkipped: progress.note,
  });
  progress.note(`Using the newest valid backup: ${file}`);
  return file;
};

export const restoreCommand = command({
  name: "restore",
  summary: "replace the database with a backup",
  description: "replace the database and the sites with those of a backup; stop the server first",
  takes: {
    "<backup>": "a backup file, a directory (its newest valid backup), or latest (the newest in BACKUP_DIR)",
    "--yes": "do not ask",
    "--force": "restore a backup that has changed since it was taken",
    "--json": "print JSON",
  },
  settings: ["backupDir"],
  notes: [
    "The previous database stays in DATA_DIR as adoption-store.db.before-restore-<UTC time>. Delete it when you no longer need it.",
  ],
  examples: { "Restore a backup": "backup.db", "Restore the newest scheduled backup": "latest" },
  async run({ backup, yes, force = false, ...flags }) {
    const config = configOf(flags);
    const { dataDir } = config;
    const file = backupAt(backup, config);
    const restore = prepareRestore(dataDir, file, Date.now(), {
      storage: siteStorage(config),
      force,
      forget: (database, email) =>
        adopterRepository(database).forget(email, true, { actor: OPERATOR, now: Date.now() }),
    });
    using progress = progressLine();
    try {
      noteDigest(restore.hasDigest, restore.unreadableDigest);
      const question = `Replace the database of ${dataDir} with ${file}?`;
      await assertConfirmed(yes || !restore.replaces, question, "Nothing was restored.");
      const result = await restore.run(progress.show);
      progress.end();
      const { missing } = result.sites;
      if (missing > 0)
        note(
          `${missing} files of deployed sites are neither in the backup nor in ${config.blobsUrl ? "the object store" : "DATA_DIR"}: deploy those sites again`,
        );
      if (result.differences.length > 0) note(`${describeDifferences(result.differences)}: ${REMEDY}`);
      return { json: { ...result, file, dataDir }, text: () => printRestored(result, dataDir) };
    } finally {
      restore.close();
    }
  },
});
