import { Database as Client } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { openReplica } from "../../src/data/cluster/replica.ts";
import type { Snapshot } from "../../src/data/cluster/log.ts";
import { migrate } from "../../src/data/db/migrate.ts";
import { migrations } from "../../src/data/db/migrations.ts";
import { type Database, openDatabase, type OpenOptions, setUpDatabase } from "../../src/data/db/open.ts";
import { markReplica, replicaMark } from "../../src/data/db/replica-mark.ts";
import { fileSize } from "../../src/lib/files.ts";
import { once } from "../../src/lib/lazy.ts";
import { createEmpty } from "../../src/lib/ownership.ts";
import { type Exception, isException } from "./cluster-exceptions.ts";
import { temporaryDirectory } from "./ends.ts";
import { MemoryEngine } from "./memory-log.ts";

const ROOT = join(import.meta.dir, "../..");

/** STORE=cluster opens the store of every test as a replica of a log in memory. */
const isCluster = (): boolean => process.env["STORE"] === "cluster" && !isException(relative(ROOT, Bun.main));

/** An empty database with all tables. The migrations take longer than most tests, so they run once per process. */
const emptyDatabase = once(() => {
  using client = new Client(":memory:");
  migrate(client, migrations);
  return client.serialize();
});

/** Creates the file of an empty database with all tables, without a store id. An existing file is left as it is. */
export const createTables = (path: string): void => {
  if (createEmpty(path)) writeFileSync(path, emptyDatabase());
};

/** Opens an empty database in memory. */
export const openInMemory = (options?: OpenOptions): Database =>
  setUpDatabase(Client.deserialize(emptyDatabase(), { strict: true }), options);

/** The engines of the files in use: a file that is opened again continues with its log. */
const engines = new Map<string, Promise<MemoryEngine>>();

/** Makes the database of this file the beginning of a log, as `cluster join` does. */
const startLog = async (path: string): Promise<MemoryEngine> => {
  const engine = new MemoryEngine();
  const first: Snapshot = { log: path, position: 0, id: "first", checksum: "", reference: "" };
  await engine.open().create(first);
  using client = new Client(path, { create: true });
  if (replicaMark(client)) throw new Error(`${path} is a replica of a log that is gone`);
  markReplica(client, first);
  return engine;
};

const engineOf = (path: string): Promise<MemoryEngine> => {
  const engine = engines.get(path) ?? startLog(path);
  engines.set(path, engine);
  return engine;
};

const openAsReplica = async (path: string, options: OpenOptions): Promise<Database> => {
  if (fileSize(path) === 0) writeFileSync(path, emptyDatabase());
  const engine = await engineOf(path);
  const { database } = await openReplica(path, engine.open(), { node: "one", ...options });
  // Tests prepare rows without a write.
  database.client.run("PRAGMA query_only=OFF");
  return database;
};

interface OwnOptions extends OpenOptions {
  /** Why the store is not a replica. */
  embedded?: Exception | undefined;
}

/** Opens the database in this file, which another store may have open, or an empty one. */
export const openOwnDatabase = async (
  path?: string,
  { embedded, ...options }: OwnOptions = {},
): Promise<Database> => {
  if (isCluster() && embedded === undefined)
    return openAsReplica(path ?? join(temporaryDirectory(), "store.db"), options);
  if (path === undefined) return openInMemory(options);
  createTables(path);
  return openDatabase(path, options);
};
