import { Database } from "bun:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStore } from "../support/new-store.ts";
import { temporaryDirectory } from "../support/store.ts";
import type { inProcessIn } from "./program.ts";

/** Places a file to import in a separate directory. An import, unless it is a dry run, first creates a store there. */
export const placing =
  (run: typeof inProcessIn) =>
  (text: string | Uint8Array, file = "a.csv") => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, file), text);
    const importing = async (...flags: string[]) => {
      if (!flags.includes("--dry-run")) await createStore(join(cwd, "data"));
      return run(cwd, ["import", file, ...flags]);
    };
    const read = (name: string) => readFileSync(join(cwd, name), "utf8");
    return { cwd, path: join(cwd, file), importing, read };
  };

/** All animals as `name|category|status`, in the order of their ids. */
export const animals = (cwd: string): string[] => {
  const database = new Database(join(cwd, "data", "adoption-store.db"), { readonly: true });
  const rows = database
    .query<{ animal: string }, []>(
      "select name || '|' || category_id || '|' || coalesce(status, '') as animal from pets order by id",
    )
    .all();
  database.close();
  return rows.map(({ animal }) => animal);
};
