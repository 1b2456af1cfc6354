import {
  appliedMigrations,
  endMigration,
  hashOf,
  migrateUncommitted,
  pendingMigrations,
} from "../db/migrate.ts";
import { type Migration, migrations } from "../db/migrations.ts";
import type { ReplicaFile } from "./file.ts";
import type { Log } from "./log.ts";
import { makeRecord } from "./record.ts";

const pendingOf = ({ writer }: ReplicaFile): readonly Migration[] =>
  pendingMigrations(appliedMigrations(writer), migrations);

/** Appends the migrations that the log lacks as one record. @returns false if another node's record came first */
const appendMigrations = async (
  file: ReplicaFile,
  log: Log,
  pending: readonly Migration[],
): Promise<boolean> => {
  const { writer } = file;
  const appliedAt = Date.now();
  try {
    if (!migrateUncommitted(writer, migrations, appliedAt)) return false;
    const mark = file.mark();
    const recorded = pending.map(({ tag, sql }) => ({ tag, hash: hashOf(sql) }));
    const { record, next } = makeRecord(mark, { kind: "migrations", migrations: recorded, appliedAt }, []);
    const { won } = await log.append(mark, next.id, record);
    if (!won) return false;
    file.advance(next);
    writer.run("COMMIT");
    return true;
  } finally {
    endMigration(writer);
  }
};

/**
 * Brings the schema of a replica up to date: by the records of nodes that did so before, or else by one of its own.
 * @param mayAppend otherwise only what the log has is applied
 * @throws MigrationRefused if the database is newer than this program
 */
export const migrateReplica = async (
  file: ReplicaFile,
  log: Log,
  catchUp: () => Promise<void>,
  mayAppend: boolean,
): Promise<void> => {
  if (pendingOf(file).length === 0) return;
  // Without a turn, the record of a node that writes all the time would come first again and again.
  await using _turn = mayAppend ? await log.turn() : undefined;
  for (;;) {
    await catchUp();
    const pending = pendingOf(file);
    if (pending.length === 0 || !mayAppend) return;
    await appendMigrations(file, log, pending);
  }
};
