import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

/**
 * Ends all sessions of the console, and sign-ins in progress, in a copy from `openCopy`, which overwrites their rows. An older
 * database may lack the tables.
 */
export const endSessions = (copy: Client): void => {
  for (const table of ["browser_states", "sealing_keys"])
    if (hasTable(copy, table)) copy.run(`DELETE FROM ${table}`);
};
