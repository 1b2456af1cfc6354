import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { siteStorage } from "../app/objects.ts";
import { newestValidBackup } from "../backups/newest-backup.ts";
import { type RestoreResult, prepareRestore } from "../backups/restore.ts";
import type { Config } from "../config/config.ts";
import { STORAGE } from "../config/settings/storage.ts";
import { shellQuoted } from "../data-dir/shell.ts";
import { quantity } from "../lib/quantity.ts";
import { SERVICE, STATE_DIRECTORY } from "../service/paths.ts";
import { type CommandTexts, withTexts } from "./help/texts.ts";
import { formatBytes } from "./print/format.ts";
import { progressLine } from "./print/progress.ts";
import { configOf, withSettings } from "./settings.ts";
import { confirm } from "./confirm.ts";
import { note, print, printDeclined, printJson } from "./print/output.ts";

interface Options extends Record<string, unknown> {
  yes?: boolean;
  json?: boolean;
}

/** How to serve what was restored: `serve` alone would take ./data. */
const startCommand = (dataDir: string): string => {
  if (dataDir === STATE_DIRECTORY) return `systemctl start ${SERVICE}`;
  return dataDir === STORAGE.dataDir.fallback
    ? "adoption-store serve"
    : `adoption-store serve --data-dir ${shellQuoted(dataDir)}`;
};

const printRestored = ({ bytes, aside, sites }: RestoreResult, dataDir: string) => {
  print(`Restored to ${dataDir}: ${formatBytes(bytes)}, checked`);
  if (sites.files > 0) print(`Sites: ${quantity(sites.files, "file")}`);
  if (aside !== undefined)
    print(`The previous database is kept as ${aside}: remove it when you no longer need it`);
  print("The API keys are those of the backup. To create another: adoption-store keys create --help");
  print(`To start the server: ${startCommand(dataDir)}`);
};

/** Stands for the newest valid backup in BACKUP_DIR. */
const LATEST = "latest";

/** The backup to restore: a file, or the newest valid one in a directory. @throws OperatorError */
const backupAt = (target: string, { dataDir, backupDir }: Config): string => {
  const path = resolve(target === LATEST ? backupDir : target);
  if (target !== LATEST && !(existsSync(path) && statSync(path).isDirectory())) return path;
  const progress = progressLine();
  try {
    const file = newestValidBackup(path, dataDir, {
      onProgress: progress.show,
      onSkipped(reason) {
        progress.end();
        note(reason);
      },
    });
    progress.end();
    note(`Using the newest valid backup: ${file}`);
    return file;
  } finally {
    progress.end();
  }
};

const RESTORE_TEXTS: CommandTexts = {
  notes: [
    "The previous database stays in DATA_DIR as adoption-store.db.before-restore-<UTC time>. Delete it when you no longer need it.",
  ],
  examples: [
    { text: "Restore a backup", line: "adoption-store restore backup.db" },
    { text: "Restore the newest scheduled backup", line: "adoption-store restore latest" },
  ],
};

export const restoreCommand = (): Command =>
  withSettings(
    withTexts(new Command("restore"), RESTORE_TEXTS)
      .summary("replace the database with a backup")
      .description("replace the database and the sites with those of a backup; stop the server first")
      .argument(
        "<backup>",
        "a backup file, a directory (its newest valid backup), or latest (the newest in BACKUP_DIR)",
      )
      .option("--yes", "do not ask")
      .option("--json", "print JSON"),
    ["backupDir"],
  ).action(async (target: string, options: Options) => {
    const config = configOf({ ...options, json: undefined });
    const { dataDir } = config;
    const file = backupAt(target, config);
    const restore = prepareRestore(dataDir, file, Date.now(), siteStorage(config));
    const progress = progressLine();
    try {
      if (
        restore.replaces &&
        !options.yes &&
        !(await confirm(`Replace the database of ${dataDir} with ${file}?`))
      )
        return printDeclined(options.json, "Nothing was restored.");
      const result = await restore.run(progress.show);
      progress.end();
      const { missing } = result.sites;
      if (missing > 0)
        note(
          `${missing} files of deployed sites are neither in the backup nor in ${config.blobsUrl ? "the object store" : "DATA_DIR"}: deploy those sites again`,
        );
      if (options.json) printJson({ ...result, file, dataDir });
      else printRestored(result, dataDir);
    } finally {
      progress.end();
      restore.close();
    }
  });
