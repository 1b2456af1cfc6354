import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { makeDataDir } from "../../src/data/data-dir/checks.ts";
import { openData } from "../../src/data/data-dir/open.ts";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { createTables } from "./database.ts";
import { temporaryDirectory } from "./ends.ts";

/** Creates an empty store in a directory, as the first start of a server does, without a key. @returns the directory */
export const createStore = async (dataDir = temporaryDirectory()): Promise<string> => {
  const config = readConfig({ flags: {}, env: { DATA_DIR: dataDir }, isTerminal: false });
  const umask = process.umask();
  makeDataDir(dataDir);
  createTables(databasePath(dataDir));
  await openData(config, { create: true, migrate: true }).close();
  process.umask(umask);
  return dataDir;
};

/** A working directory with an empty store in `data`. */
export const directoryWithStore = async (): Promise<string> => {
  const cwd = temporaryDirectory();
  await createStore(join(cwd, "data"));
  return cwd;
};
