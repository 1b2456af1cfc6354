import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

/** Ends all sessions of the console in a copy. It also works on a database older than the table. */
export const endSessions = (copy: Client): void => {
  if (hasTable(copy, "browser_states")) copy.run("DELETE FROM browser_states");
};
