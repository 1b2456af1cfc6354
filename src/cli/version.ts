import { Command } from "commander";
import { SOURCE, commitOf } from "../app/commit.ts";
import { COMMIT, VERSION } from "../app/version.ts";
import { processEnvironment } from "../config/config.ts";
import { migrations } from "../db/migrations.ts";
import { withoutSettings } from "./help/globals.ts";
import { print, printJson } from "./print/output.ts";

/** `upgrade` of earlier builds runs `version` with an empty environment, and accepts a version only. */
const isEarlierUpgrade = (): boolean => Object.keys(processEnvironment()).length === 0;

export const versionCommand = (): Command =>
  withoutSettings(
    new Command("version")
      .description("print the version, the commit and the newest migration")
      .option("--json", "print JSON"),
  ).action(({ json }: { json?: boolean }) => {
    const commit = COMMIT ?? (Bun.isStandaloneExecutable ? undefined : commitOf(SOURCE));
    const migration = migrations.at(-1)?.tag;
    if (json) return printJson({ version: VERSION, commit: commit ?? null, migration });
    if (isEarlierUpgrade()) return print(VERSION);
    print(`version    ${VERSION}\ncommit     ${commit ?? "unknown"}\nmigration  ${migration}`);
  });
