import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { run } from "./support.ts";

const ROOT = resolve(import.meta.dir, "../..");
/** What the executable is built from. */
const SOURCES = ["src", "drizzle", "package.json", "bun.lock", "tsconfig.json"];

/** Replaces text in a file. @throws if it is not there */
const replaceIn = (path: string, [from, to]: readonly [string | RegExp, string]): void => {
  const text = readFileSync(path, "utf8");
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${path} does not contain ${from}`);
  writeFileSync(path, changed);
};

/** A change of the source: a file, the text to replace, and its replacement. */
export type Edit = readonly [file: string, from: string | RegExp, to: string];

/** The next migration, which adds a table. */
export const NEW_MIGRATION: Edit = [
  "src/data/db/migrations.ts",
  "= FILES.all;",
  '= [...FILES.all, { tag: "9999_next", sql: "CREATE TABLE next_version (id INTEGER PRIMARY KEY) STRICT;" }];',
];

/** The server never says that it serves. */
export const NEVER_READY: Edit = ["src/cli/serve.ts", "notifier?.ready(server.state);", ""];

/** Ends at its start. */
export const ENDS_AT_START: Edit = [
  "src/cli/serve.ts",
  "const config = readConfig(sources);",
  'const config = readConfig(sources);\n      if (config.port) throw new Error("this build is broken");',
];

/** Builds the executable from a copy of the source with another version and these changes. */
export const buildVariant = async (
  directory: string,
  version: string,
  edits: readonly Edit[] = [],
): Promise<string> => {
  const place = join(directory, `source-${version}`);
  mkdirSync(place);
  for (const name of SOURCES) cpSync(join(ROOT, name), join(place, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
  replaceIn(join(place, "package.json"), [/"version": "[^"]+"/, `"version": "${version}"`]);
  for (const [file, from, to] of edits) replaceIn(join(place, file), [from, to]);
  const outfile = join(directory, `adoption-store-${version}`);
  const { code, stdout, stderr } = await run(
    [
      process.execPath,
      "build",
      "src/main.ts",
      "--compile",
      "--format=esm",
      "--splitting",
      "--outfile",
      outfile,
    ],
    { cwd: place },
  );
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  return outfile;
};
