import { Database as Client } from "bun:sqlite";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import { type Commit, type GroupCommitSettings, groupCommit } from "./commit.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";

export interface Database {
  /** Builds and prepares queries; writes go through `commit`. */
  readonly orm: BunSQLiteDatabase;
  readonly commit: Commit;
  /** Changes with every committed write of this or another process, seen by the next request on. */
  version(): number;
  /** Changes with every committed write of another process. */
  foreignVersion(): number;
  /** @throws if the database cannot be written now. */
  assertWritable(): void;
  /** Commits what is queued, copies the log into the database file, and closes it. */
  close(): Promise<void>;
  /** The connection itself: for PRAGMAs of tests and of `doctor`. */
  readonly client: Client;
}

const PRAGMAS = [
  "PRAGMA busy_timeout=5000",
  "PRAGMA journal_mode=WAL",
  // FULL: a commit returns when the log is on disk. A 2xx answer to a write means that it is.
  "PRAGMA synchronous=FULL",
  "PRAGMA foreign_keys=ON",
  "PRAGMA trusted_schema=OFF",
  "PRAGMA cache_size=-16384",
];

/**
 * `PRAGMA data_version` takes and drops a lock, some 5 microseconds of system calls here, so it is asked once in a turn
 * of the event loop. A request that is answered in a turn was sent before the turn asked the kernel for it, so a
 * write that another process acknowledged before the request was sent is seen. (Reading the counter from the mapped
 * `-shm` file would be cheaper still, but closing that descriptor drops SQLite's own POSIX locks.)
 */
const oncePerTurn = (read: () => number): (() => number) => {
  let value = 0;
  let fresh = false;
  return () => {
    if (fresh) return value;
    fresh = true;
    setImmediate(() => {
      fresh = false;
    });
    value = read();
    return value;
  };
};

/** Opens or creates the database file (or ":memory:") and brings its schema up to date. */
export const openDatabase = (path: string, settings: GroupCommitSettings = {}): Database => {
  const client = new Client(path, { create: true, strict: true });
  try {
    for (const pragma of PRAGMAS) client.run(pragma);
    migrate(client, migrations);
    // SQLite's own waiting blocks the event loop; from here on group commit does the waiting.
    client.run("PRAGMA busy_timeout=20");
  } catch (error) {
    client.close();
    throw error;
  }
  const writes = groupCommit(client, settings);
  const dataVersion = client.prepare<{ data_version: number }, []>("PRAGMA data_version");
  const foreignVersion = oncePerTurn(() => dataVersion.get()?.data_version ?? 0);
  return {
    orm: drizzle(client),
    client,
    commit: writes.commit,
    foreignVersion,
    // Both only grow, so their sum changes whenever either does.
    version: () => foreignVersion() + writes.count(),
    assertWritable: () => {
      client.run("BEGIN IMMEDIATE");
      client.run("ROLLBACK");
    },
    close: async () => {
      await writes.drain();
      client.run("PRAGMA wal_checkpoint(TRUNCATE)");
      client.close();
    },
  };
};
