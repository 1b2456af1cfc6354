import { join } from "node:path";
import { type Replica, type ReplicaOptions, openReplica } from "../../src/cluster/replica.ts";
import type { Snapshot } from "../../src/cluster/log.ts";
import { openDatabase } from "../../src/db/open.ts";
import { markReplica } from "../../src/db/replica-mark.ts";
import { Database as Client } from "bun:sqlite";
import { atEnd, temporaryDirectory } from "./ends.ts";
import { MemoryEngine } from "./memory-log.ts";

const FIRST: Snapshot = { log: "log-1", position: 0, id: "first", checksum: "", reference: "" };

/** A cluster in this process: an engine in memory, and nodes that begin with the same empty database. */
export const memoryCluster = async (engine = new MemoryEngine()) => {
  const directory = temporaryDirectory();
  const first = join(directory, "first.db");
  await openDatabase(first).close();
  await engine.open().create(FIRST);
  let nodes = 0;
  /** Makes the file of a new node. */
  const newFile = async (): Promise<string> => {
    const path = join(directory, `node-${++nodes}.db`);
    await Bun.write(path, Bun.file(first));
    using client = new Client(path);
    markReplica(client, FIRST);
    return path;
  };
  const open = async (path?: string, options: Partial<ReplicaOptions> = {}): Promise<Replica> => {
    const file = path ?? (await newFile());
    const replica = await openReplica(file, engine.open(), {
      node: `n${nodes}`,
      ...options,
    });
    atEnd(replica.database.close);
    return replica;
  };
  return { engine, newFile, open };
};

/** Every row of every table but what a node has of its own. */
export const contentOf = (path: string): Map<string, unknown[]> => {
  using client = new Client(path, { readonly: true });
  const tables = client
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
       AND name NOT LIKE 'sqlite_%' AND name NOT IN ('pet_names', 'pets_indexed') ORDER BY name`,
    )
    .all();
  return new Map(
    tables.map(({ name }) => [name, client.query(`SELECT * FROM "${name}" ORDER BY 1, 2`).values()]),
  );
};
