import { closeDatabase } from "../db/file-loss.ts";
import {
  appliedMigrations,
  assertCurrent,
  endMigration,
  hashOf,
  migrateUncommitted,
  pendingMigrations,
} from "../db/migrate.ts";
import { type Migration, migrations } from "../db/migrations.ts";
import { countPets, type Database } from "../db/open.ts";
import { databaseReadiness } from "../db/readiness.ts";
import { shrinkLog } from "../db/wal.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isDamage, StorageUnavailable } from "../../lib/storage-errors.ts";
import { checkReplica } from "./check.ts";
import { catchUpWith } from "./catch-up.ts";
import type { Cluster } from "./cluster.ts";
import { commitLoop, derivedRunner, groupCommitter, groupPerformer, replication } from "./commit-loop.ts";
import type { ReplicaFile } from "./file.ts";
import type { Log } from "./log.ts";
import { openParts, type Parts, type ReplicaOptions } from "./parts.ts";
import { replicaReads } from "./reads.ts";
import { makeRecord } from "./record.ts";

const pendingOf = ({ writer }: ReplicaFile): readonly Migration[] =>
  pendingMigrations(appliedMigrations(writer), migrations);

/** Appends the migrations that the log lacks as one record. @returns false if another node's record came first */
const appendMigrations = async (
  { file, log, node }: Pick<Parts, "file" | "log" | "node">,
  pending: readonly Migration[],
): Promise<boolean> => {
  const { writer } = file;
  const appliedAt = Date.now();
  file.contents.unfollow();
  try {
    if (!migrateUncommitted(writer, migrations, appliedAt)) return false;
    const mark = file.mark();
    const recorded = pending.map(({ tag, sql }) => ({ tag, hash: hashOf(sql) }));
    const { record, next } = makeRecord(
      mark,
      { kind: "migrations", migrations: recorded, appliedAt },
      [],
      node,
    );
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
 * Brings the schema of a replica up to date: by earlier records of other nodes, or else by a new one.
 * @param mayAppend otherwise only the log's records are applied
 * @throws MigrationRefused if the database is newer than this program
 */
const migrateReplica = async (
  parts: Pick<Parts, "file" | "log" | "node">,
  catchUp: () => Promise<void>,
  mayAppend: boolean,
): Promise<void> => {
  const { file, log } = parts;
  if (pendingOf(file).length === 0) return;
  // Without the lease, the record of a node that writes all the time would come first again and again.
  const lease = mayAppend ? await log.writeLease() : undefined;
  try {
    for (;;) {
      await catchUp();
      const pending = pendingOf(file);
      if (pending.length === 0 || !mayAppend) return;
      await appendMigrations(parts, pending);
    }
  } finally {
    await lease?.release("the migrations are done");
  }
};

export interface Replica {
  readonly database: Database;
  readonly cluster: Cluster;
}

const replicaWrites = (parts: Parts, options: ReplicaOptions) => {
  const { file } = parts;
  const catchUp = catchUpWith(parts);
  const attempt = replication(parts, groupPerformer(file, countPets));
  const runDerived = derivedRunner(file);
  const { commitGroup, refuseLate } = groupCommitter(parts, { attempt, catchUp, runDerived });
  return { catchUp, refuseLate, ...commitLoop(parts, options, { commitGroup, catchUp }) };
};

/** Opens a file that is a replica of the log. The log stays open when the database is closed. @throws NotAReplica */
export const openReplica = async (path: string, log: Log, options: ReplicaOptions): Promise<Replica> => {
  const parts = openParts(path, log, options.node);
  const {
    file,
    files,
    lost,
    counts,
    foreignVersion,
    progress,
    heads,
    transactions: transacting,
    lockHolder,
  } = parts;
  const writes = replicaWrites(parts, options);
  try {
    await migrateReplica(parts, writes.catchUp, options.migrates ?? false);
    assertCurrent(file.writer, migrations);
    file.contents.follow();
  } catch (error) {
    file.close();
    throw error;
  }
  const { follow, expire, refuseLate } = writes;
  const reads = replicaReads(parts, options, follow);
  const { fresh, recent, poll, notice, pollMs } = reads;
  const ending = new AbortController();
  log.watch(notice, ending.signal);
  const timer = setInterval(() => {
    expire(refuseLate);
    poll();
  }, pollMs);
  timer.unref();
  const readiness = databaseReadiness(
    file.reader,
    // While a transaction is open, its result shows whether the storage accepts writes.
    {
      ...transacting,
      probe: () => (file.writer.inTransaction ? { state: "committed" } : transacting.probe()),
    },
    { lockHolder, probeMs: options.probeMs, lockWait: options.lockWait },
  );
  const problem = (): string | undefined => {
    const reason = progress.failure() ?? heads.failure();
    return reason === undefined ? undefined : reasonOf(reason);
  };

  let checking: Promise<void> | undefined;
  /** Another node has what this file has lost. */
  const checkAgain = () =>
    (checking ??= checkReplica(path, { fail: progress.fail }, ending.signal, 0)
      .catch(readiness.suspect)
      .finally(() => (checking = undefined)));

  let closed: Promise<void> | undefined;
  let shrinking: Promise<void> | undefined;
  const shrink = () => (shrinking ??= shrinkLog(file.writer).finally(() => (shrinking = undefined)));
  const close = async (): Promise<void> => {
    ending.abort();
    clearInterval(timer);
    reads.stop();
    await Promise.all([shrinking?.catch(() => {}), checking]);
    await writes.stop();
    readiness.close();
    await closeDatabase(file.writer, files, file.close);
  };
  const database: Database = {
    client: file.reader,
    writer: file.writer,
    commit: writes.commit,
    fresh,
    recent,
    version: () => foreignVersion() + counts.committed,
    foreignVersion,
    assertInPlace: files.assert,
    lost,
    async assertReady() {
      files.assert();
      const reason = problem();
      if (reason !== undefined) throw new StorageUnavailable(reason);
      await readiness.assert();
    },
    suspect(error) {
      readiness.suspect(error);
      if (isDamage(error)) void checkAgain();
    },
    async inspect(signal) {
      const found = await readiness.inspect(signal);
      if (found.damage.size > 0) void checkAgain();
      return found;
    },
    differences: readiness.differences,
    changedPages: () => new Map(),
    shrinkLog: async () => (closed ? undefined : shrink()),
    close: () => (closed ??= close()),
  };
  const cluster: Cluster = {
    log,
    node: options.node,
    liveNodes: () => 1,
    state: () => ({
      position: progress.applied().position,
      head: progress.head(),
      confirmedAt: progress.confirmedAt(),
      problem: problem(),
      blames: parts.blames,
      ...counts,
    }),
    contents: file.contents.digests,
    speculate: reads.speculate,
    outdated: progress.outdated,
    fail: progress.fail,
  };
  return { database, cluster };
};
