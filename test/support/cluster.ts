import { Database as Client } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "../../src/data/cluster/log.ts";
import type { ReplicaOptions } from "../../src/data/cluster/parts.ts";
import { openReplica, type Replica } from "../../src/data/cluster/replica.ts";
import type { Database } from "../../src/data/db/open.ts";
import type { Connection } from "../../src/data/db/statement.ts";
import { migrate } from "../../src/data/db/migrate.ts";
import { migrations } from "../../src/data/db/migrations.ts";
import { markReplica } from "../../src/data/db/replica-mark.ts";
import { atEnd, temporaryDirectory } from "./ends.ts";
import { MemoryEngine } from "./memory-log.ts";

export const FIRST: Snapshot = { log: "log-1", position: 0, id: "first", checksum: "", reference: "" };

/** A cluster in this process: an engine in memory, and nodes that begin with the same empty database. */
export const memoryCluster = async (known = migrations) => {
  const engine = new MemoryEngine();
  const directory = temporaryDirectory();
  await engine.open().create(FIRST);
  using first = new Client(":memory:");
  migrate(first, known);
  markReplica(first, FIRST);
  const content = first.serialize();
  let nodes = 0;
  /** Makes the file of a new node. */
  const newFile = (): string => {
    const path = join(directory, `node-${++nodes}.db`);
    writeFileSync(path, content);
    return path;
  };
  const open = async (options: Partial<ReplicaOptions> & { path?: string } = {}): Promise<Replica> => {
    const { path = newFile(), ...others } = options;
    const replica = await openReplica(path, engine.open(), { node: path, ...others });
    atEnd(replica.database.close);
    return replica;
  };
  return { engine, newFile, open };
};

/** Runs a statement in a separate write, and returns its rows. */
export const act = async (
  { commit }: Pick<Database, "commit">,
  sql: string,
  ...values: (string | number | bigint | null | Uint8Array)[]
): Promise<unknown[]> => {
  const query = {
    all: (connection: Connection) => connection.prepare<unknown, typeof values>(sql).all(...values),
  };
  const [rows] = await commit([{ query, values: {} }]);
  return rows;
};

const ADD = "INSERT INTO pets (name, category_id, created_at) VALUES (?, 1, 0) RETURNING id";

export const addNamed = async ({ database }: Pick<Replica, "database">, name: string): Promise<number> => {
  const [row] = await act(database, ADD, name);
  return (row as { id: number }).id;
};

/** The current names of all animals on the node, by id. */
export const namesOf = ({ database }: Pick<Replica, "database">): unknown[] =>
  database.client.query("SELECT name FROM pets ORDER BY id").values().flat();

/** Every row of every table that nodes share. */
export const contentOf = ({ database }: Pick<Replica, "database">): Map<string, unknown[]> => {
  const tables = database.client
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
       AND name NOT IN ('pet_names', 'pet_times', 'pets_indexed', 'sqlite_schema', 'sqlite_stat1') ORDER BY name`,
    )
    .all();
  return new Map(
    tables.map(({ name }) => [name, database.client.query(`SELECT * FROM "${name}" ORDER BY 1, 2`).values()]),
  );
};
