import { auditRepository } from "../audit/repository.ts";
import type { Config } from "../config/config.ts";
import type { AuditEntry } from "../db/audit.ts";
import type { Database } from "../db/open.ts";
import type { Actor } from "../lib/actor.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { reasonOf } from "../lib/reason.ts";
import { sentence } from "../lib/text.ts";
import { withDatabase } from "./database.ts";
import { note } from "./print/output.ts";

/** Stores the audit log entry of a completed action, so a failure is only noted. */
const attempt = async (store: () => Promise<void>): Promise<void> => {
  try {
    await store();
  } catch (error) {
    note(`The command succeeded, but the audit log has no entry: ${sentence(reasonOf(error))}`);
  }
};

/** Records an action of a command that has the database open. */
export const recordIn = (database: Database, entry: AuditEntry): Promise<void> =>
  attempt(() => auditRepository(database).add({ actor: OPERATOR, now: Date.now() }, entry));

/** Records an action of a command. */
export const record = (config: Config, entry: AuditEntry, actor: Actor = OPERATOR): Promise<void> =>
  attempt(() =>
    withDatabase(config, (database) => auditRepository(database).add({ actor, now: Date.now() }, entry)),
  );
