import { resolve } from "node:path";
import { Command } from "commander";
import { type RestoreResult, prepareRestore } from "../backups/restore.ts";
import { quantity } from "../bulk/quantity.ts";
import { formatBytes } from "./print/format.ts";
import { progressLine } from "./print/progress.ts";
import { configOf, withSettings } from "./settings.ts";
import { confirm } from "./confirm.ts";
import { note, print, printJson } from "./print/output.ts";

interface Options extends Record<string, unknown> {
  yes?: boolean;
  json?: boolean;
}

const printRestored = ({ bytes, aside, sites }: RestoreResult, dataDir: string) => {
  print(`Restored to ${dataDir}: ${formatBytes(bytes)}, checked`);
  if (sites.files > 0) print(`Sites: ${quantity(sites.files, "file")}`);
  if (aside !== undefined) print(`The database before is ${aside}: remove it when you do not need it`);
  print("API keys are those of the backup; adoption-store keys create makes another if none is at hand");
  print("Start the server with adoption-store serve");
};

export const restoreCommand = (): Command =>
  withSettings(
    new Command("restore")
      .description("put a backup in the place of the database; the server must be stopped before")
      .argument("<file>", "what adoption-store backup wrote")
      .option("--yes", "do not ask")
      .option("--json", "print JSON"),
    ["dataDir"],
  )
    .addHelpText(
      "after",
      "\nThe database before is kept beside it, as adoption-store.db.before-restore-<UTC time>.",
    )
    .action(async (target: string, options: Options) => {
      const { dataDir } = configOf(options);
      const file = resolve(target);
      const restore = prepareRestore(dataDir, file, Date.now());
      const shown = progressLine();
      try {
        if (
          restore.replaces &&
          !options.yes &&
          !(await confirm(`Put ${file} in the place of the database of ${dataDir}?`))
        )
          return print("Nothing was restored.");
        const restored = await restore.run(shown.show);
        shown.end();
        const { missing } = restored.sites;
        if (missing > 0)
          note(
            `${missing} files of deployed sites are neither in the backup nor in DATA_DIR: deploy those sites again`,
          );
        if (options.json) printJson({ ...restored, dataDir });
        else printRestored(restored, dataDir);
      } finally {
        shown.end();
        restore.close();
      }
    });
