import { join } from "node:path";
import { startReplica } from "../../src/data/cluster/membership.ts";
import { temporaryDirectory } from "./ends.ts";
import { MemoryEngine } from "./memory-log.ts";
import { Database as Client } from "bun:sqlite";
import type { Log } from "../../src/data/cluster/log.ts";
import { markReplica, type ReplicaMark, replicaMark } from "../../src/data/db/replica-mark.ts";

/** Opens the database in a file for the time of a call. */
export const inspect = <Result>(path: string, read: (client: Client) => Result): Result => {
  using client = new Client(path, { readwrite: true });
  return read(client);
};

export const markAt = (path: string): ReplicaMark | undefined => inspect(path, replicaMark);

/** Carries out a write as a node does: a record in the log, and its effect and position in the file. */
export const writeAsNode = async (log: Log, path: string, sql: string, bytes = 10): Promise<void> => {
  const mark = markAt(path);
  if (!mark) throw new Error("the file is not a replica");
  const id = crypto.randomUUID();
  const record = new Uint8Array(bytes);
  record.set(Buffer.from(sql).subarray(0, bytes));
  const { won } = await log.append(mark, id, record);
  if (!won) throw new Error("the log ends elsewhere");
  inspect(path, (client) => {
    client.run(sql);
    markReplica(client, { ...mark, position: mark.position + 1, id });
  });
};

/** The path of a database in a new directory. */
export const newPath = (): string => join(temporaryDirectory(), "adoption-store.db");

/** A node that has started in a cluster, whose engine is in memory. */
export const startNode = async (engine = new MemoryEngine()) => {
  const [log, path] = [engine.open(), newPath()];
  await startReplica(path, log);
  return { engine, log, path };
};
