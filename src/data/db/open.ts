import { Database as Client } from "bun:sqlite";
import { sql } from "drizzle-orm";
import { createEmpty } from "../../lib/ownership.ts";
import { isBusy } from "../../lib/storage-errors.ts";
import { type FilesLost, closeDatabase, watchFiles } from "./file-loss.ts";
import { type Commit, type GroupCommitOptions, groupCommit } from "./commit.ts";
import { asDiskError } from "./failures.ts";
import type { FileCheck } from "./file-check.ts";
import { type PageWatch, pageWatch, tablesWith } from "./changed-pages.ts";
import { detectChanges, freshReads, isInMemory } from "./fresh-reads.ts";
import { lockHolder as holderOf } from "./other-processes.ts";
import { assertCurrent, isEmptyDatabase, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { PRAGMAS } from "./pragmas.ts";
import { type ReadinessOptions, databaseReadiness } from "./readiness.ts";
import { assertEmbedded } from "./replica-mark.ts";
import { pets, petsIndexed } from "./schema/pets.ts";
import { type Connection, statement, update } from "./statement.ts";
import { ensureStoreId } from "./store-id.ts";
import { shrinkLog } from "./wal.ts";
import { attempt } from "../../lib/attempt.ts";

const COUNT_PETS = statement(sql`
  ${update(petsIndexed, { countedTo: sql`(SELECT max(${pets.id}) FROM ${pets})` })}
  WHERE ${petsIndexed.countedTo} < (SELECT max(${pets.id}) FROM ${pets})`);

/**
 * Adds new animals to the events and the counts, all those of a transaction together (trigger `pets_counted` of migration
 * 0020). A trigger for each animal would cost half as much as the animal itself.
 */
export const countPets = (connection: Connection): void => void COUNT_PETS.all(connection);

const CHANGES = statement<{ rows: number }>(sql`SELECT changes() AS rows`);

const NEWEST = statement(sql`SELECT max(${pets.id}) FROM ${pets}`);

/** If false, no animal can be added either, because that reads the same pages. */
const hasReadablePets = (connection: Connection): boolean =>
  attempt(() => NEWEST.all(connection)) !== undefined;

/** As `countPets`. @returns true if there were some: RETURNING would cost more */
const countedPets = (connection: Connection): boolean => {
  countPets(connection);
  return CHANGES.get(connection)?.rows !== 0;
};

export interface Database {
  /** The connection for reads. Writes go through `commit`. */
  readonly client: Client;
  /** The connection of `commit`, for PRAGMAs. A replica has two connections. */
  readonly writer: Client;
  readonly commit: Commit;
  /**
   * Waits until the versions below include every write that any process acknowledged before this call. Every request waits
   * for it before it reads anything, together with the requests that arrived in the same turn.
   */
  fresh(): Promise<void>;
  /**
   * Like `fresh`, for sites, redirects and TLS handshakes: in a cluster, later reads may be as old as STALE_LIMIT.
   * @throws StorageUnavailable if it would be older
   */
  recent(): Promise<void>;
  /**
   * Changes with every committed write: immediately for this process's own, unless it is derived (see `Commit`); after `fresh`
   * for those of others.
   */
  version(): number;
  /** Changes, with `fresh`, after every committed write of another process. */
  foreignVersion(): number;
  /** @throws FilesLost if one of its files was moved, deleted or truncated: new writes would be lost */
  assertInPlace(): void;
  /** Resolves after a loss of files, once everything recoverable is saved. */
  readonly lost: Promise<FilesLost>;
  /**
   * Tests a write and a read, unless both were tested a moment ago.
   * @throws if the file is gone, the schema is not this program's, the storage refuses writes or reads, or another process
   * holds the write lock for too long
   */
  assertReady(): Promise<void>;
  /** Call it with every error of a request: after a failed read, the next `assertReady` looks for damage. */
  suspect(error: unknown): void;
  /**
   * Reads the whole file slowly, in a worker, and compares derived data with its rows. `assertReady` reports damage that it finds
   * until a later check finds none.
   */
  inspect(signal?: AbortSignal): Promise<FileCheck>;
  /** The derived data that differed from its rows in the last `inspect`. */
  differences(): FileCheck["differences"];
  /** How many pages of each table the last `inspect` found changed by the disk. */
  changedPages(): ReadonlyMap<string, number>;
  /** Copies a large log into the database, in a worker, and truncates it unless a reader still needs it. */
  shrinkLog(): Promise<void>;
  /** Commits queued writes, copies the log into the database file if there is room, and closes it. It may be called again. */
  close(): Promise<void>;
}

export interface OpenOptions
  extends
    Omit<GroupCommitOptions, "changes" | "lockHolder" | "beforeCommit" | "hasReadable">,
    Pick<ReadinessOptions, "probeMs"> {
  /** Migrates always, never, or only an empty database. An older database that is not migrated is refused. */
  migrating?: "always" | "new" | "never";
  /** Called before a new database is set up. If it throws, the database stays empty. */
  onEmpty?: () => void;
}

const OPEN_BUSY_MS = 5000;

/** Retries while another process creates the same database: SQLite does not wait for a lock to switch to WAL mode. */
const retryWhileBusy = (act: () => void): void => {
  for (const end = performance.now() + OPEN_BUSY_MS; ;)
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
      Bun.sleepSync(10);
    }
};

export const openDatabase = (path: string, options?: OpenOptions): Database =>
  setUpDatabase(new Client(path, { create: true, strict: true }), options);

/** Sets up and migrates a database that a new connection has open. If this fails, it closes the connection. */
export const setUpDatabase = (
  client: Client,
  { migrating = "always", onEmpty, probeMs, ...settings }: OpenOptions = {},
): Database => {
  try {
    retryWhileBusy(() => PRAGMAS.forEach((pragma) => client.run(pragma)));
    assertEmbedded(client);
    if (onEmpty && isEmptyDatabase(client)) onEmpty();
    if (migrating === "always" || (migrating === "new" && isEmptyDatabase(client))) {
      migrate(client, migrations);
      ensureStoreId(client);
    } else assertCurrent(client, migrations);
    // SQLite would block the event loop while it waits; from here on group commit waits.
    client.run("PRAGMA busy_timeout=0");
    // Each write has a savepoint, whose journal would be a file. Migrations sort much, so they come before.
    client.run("PRAGMA temp_store=MEMORY");
  } catch (error) {
    const failure = asDiskError(client, error);
    client.close();
    throw failure;
  }
  const changes = detectChanges(client);
  const lockHolder = () => holderOf(client.filename);
  const { promise: lost, resolve: onLost } = Promise.withResolvers<FilesLost>();
  const files = watchFiles(client, onLost);
  let pages: PageWatch | undefined;
  let noted = changes.foreign();
  const writes = groupCommit(client, {
    ...settings,
    changes: {
      beginOwn() {
        files.assert();
        changes.beginOwn();
      },
      endOwn() {
        changes.endOwn();
        pages?.note(changes.foreign() !== noted);
        noted = changes.foreign();
      },
    },
    lockHolder,
    beforeCommit: countedPets,
    hasReadable: () => hasReadablePets(client),
  });
  const readiness = databaseReadiness(client, writes, { lockHolder, probeMs, lockWait: settings.lockWait });
  let changed: ReadonlyMap<string, number> = new Map();
  let closed: Promise<void> | undefined;
  let shrinking: Promise<void> | undefined;
  const shrink = () => (shrinking ??= shrinkLog(client).finally(() => (shrinking = undefined)));
  const { stop: stopReads, ...reads } = freshReads(client, changes.detect);
  const close = async () => {
    stopReads();
    await shrinking?.catch(() => {});
    await writes.drain();
    writes.stop();
    readiness.close();
    pages?.note();
    await closeDatabase(client, files);
    await pages?.close();
  };
  return {
    client,
    writer: client,
    commit: writes.commit,
    ...reads,
    foreignVersion: changes.foreign,
    // Both only grow, so their sum changes whenever either does.
    version: () => changes.foreign() + writes.counts.visible,
    assertInPlace: files.assert,
    lost,
    async assertReady() {
      files.assert();
      await readiness.assert();
    },
    suspect: readiness.suspect,
    async inspect(signal) {
      const found = await readiness.inspect(signal);
      if (isInMemory(client.filename) || found.damage.size > 0 || closed) return found;
      pages ??= pageWatch(client.filename);
      changed = await tablesWith(client.filename, await pages.pass(signal), signal);
      return { ...found, changed };
    },
    changedPages: () => changed,
    differences: readiness.differences,
    shrinkLog: async () => (closed ? undefined : shrink()),
    close: () => (closed ??= close()),
  };
};

/** Writes the database of a new store to a file that must not exist, for this user only. The caller makes it durable. */
export const createDatabase = (path: string): void => {
  createEmpty(path);
  using client = new Client(path, { readwrite: true, strict: true });
  client.run("PRAGMA synchronous=OFF");
  migrate(client, migrations);
  ensureStoreId(client);
};
