import type { Database as Client } from "bun:sqlite";
import { MigrationRefused } from "./migrate.ts";
import { openExisting } from "./snapshot.ts";
import { CONTENTS, CREATE_REPLICA, REPLICA, hasTable } from "./schema-check.ts";

/** Which log a database is a replica of, and how much of it has been applied. */
export interface ReplicaMark {
  readonly log: string;
  /** The position of the last record that was applied. */
  readonly position: number;
  readonly id: string;
  /** The running checksum of the log there. */
  readonly checksum: string;
}

/** Undefined for an embedded database, which has no log. */
export const replicaMark = (client: Client): ReplicaMark | undefined =>
  hasTable(client, REPLICA)
    ? (client.query<ReplicaMark, []>(`SELECT log, position, id, checksum FROM ${REPLICA}`).get() ?? undefined)
    : undefined;

/** @throws MigrationRefused for a replica: no other node has data that is written to it without its log */
export const assertEmbedded = (client: Client): void => {
  if (hasTable(client, REPLICA))
    throw new MigrationRefused(
      "the database is a replica of a cluster",
      "set DATABASE_URL, or make it an embedded store with adoption-store cluster leave",
    );
};

export const markReplica = (client: Client, { log, position, id, checksum }: ReplicaMark): void => {
  client.transaction(() => {
    client.run(`DROP TABLE IF EXISTS ${REPLICA}`);
    client.run(CREATE_REPLICA);
    client.run(`INSERT INTO ${REPLICA} VALUES (1, ?, ?, ?, ?)`, [log, position, id, checksum]);
  })();
};

export const unmarkReplica = (client: Client): void => {
  for (const table of [REPLICA, CONTENTS]) client.run(`DROP TABLE IF EXISTS ${table}`);
};

/** Changes a database that no other process uses, and copies its log into it: the file alone is then the database. */
export const changeAlone = (path: string, change: (client: Client) => void): void => {
  using client = openExisting(path);
  change(client);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.run("PRAGMA journal_mode=DELETE");
};
