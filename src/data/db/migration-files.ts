import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const DIRECTORY = join(import.meta.dir, "../../../drizzle");

const filesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => ({ tag: basename(name, ".sql"), sql: readFileSync(join(directory, name), "utf8") }));

/**
 * The files of `drizzle/`, in order, and the one of `drizzle/squashed/`. A macro: Bun runs it when it compiles the module that
 * imports it, and embeds the result (https://bun.com/docs/bundler/macros).
 */
export const migrationFiles = () => ({
  all: filesIn(DIRECTORY),
  squashed: filesIn(join(DIRECTORY, "squashed")),
});
