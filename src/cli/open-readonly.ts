import { statSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { assertDatabaseFiles } from "../data-dir/checks.ts";
import { isBeingRestored } from "../data-dir/lock.ts";
import { openFault } from "../data-dir/open-error.ts";
import { databasePath } from "../data-dir/paths.ts";
import { assertUnused } from "../data-dir/traces.ts";
import { asDiskError } from "../db/disk-error.ts";
import { MigrationRefused, assertCurrent } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { openForReading } from "../db/readonly.ts";
import type { Client } from "../db/snapshot.ts";

/** The reason why there is nothing to open in a new DATA_DIR. */
export const NONE = "it does not exist yet";
const BEING_RESTORED = "not checked: a backup is being restored";

/** Opens the database without changing a file. @returns why there is nothing to open @throws an error that says why it cannot */
export const openForCommand = ({ dataDir: path }: Config): Client | string => {
  assertDatabaseFiles(path);
  const file = databasePath(path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.size) {
    assertUnused(path, found ? "empty" : "missing");
    return NONE;
  }
  if (isBeingRestored(path)) return BEING_RESTORED;
  let client: Client | undefined;
  try {
    client = openForReading(file);
    assertCurrent(client, migrations);
    return client;
  } catch (caught) {
    const error = client ? asDiskError(client, caught) : caught;
    client?.close();
    throw error instanceof MigrationRefused ? error : new Error(openFault(file, error), { cause: error });
  }
};
