import type { Database as Client } from "bun:sqlite";
import { replicaMark, unmarkReplica } from "./replica-mark.ts";
import { BACKUP_ORIGIN, CREATE_BACKUP_ORIGIN, hasTable } from "./schema-check.ts";

/** Where in a cluster's log a backup was taken. */
export interface BackupOrigin {
  readonly log: string;
  readonly position: number;
}

/** Makes a copy of a replica a backup, which is an embedded database with a note of its origin. */
export const noteOrigin = (copy: Client): void => {
  const mark = replicaMark(copy);
  if (!mark) return;
  unmarkReplica(copy);
  copy.run(CREATE_BACKUP_ORIGIN);
  copy.run(`INSERT INTO ${BACKUP_ORIGIN} VALUES (?, ?)`, [mark.log, mark.position]);
};

/** Undefined for a backup of an embedded database. */
export const originOf = (backup: Client): BackupOrigin | undefined =>
  hasTable(backup, BACKUP_ORIGIN)
    ? (backup.query<BackupOrigin, []>(`SELECT log, position FROM ${BACKUP_ORIGIN}`).get() ?? undefined)
    : undefined;

/** Removes the note, and the mark of a replica whose file itself was kept as a backup. */
export const removeOrigin = (copy: Client): void => {
  copy.run(`DROP TABLE IF EXISTS ${BACKUP_ORIGIN}`);
  unmarkReplica(copy);
};
