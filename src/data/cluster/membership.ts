import { assertSound } from "../db/integrity.ts";
import { assertCurrent } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { replicaMark, unmarkReplica } from "../db/replica-mark.ts";
import { openExisting } from "../db/snapshot.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { reasonOf } from "../../lib/reason.ts";
import { removeOutdatedMark } from "./load-snapshot.ts";
import type { Head, Log } from "./log.ts";
import { readNodes } from "./nodes.ts";
import type { SnapshotOptions } from "./snapshot-files.ts";
import { startLog } from "./start-replica.ts";

interface JoinOptions extends SnapshotOptions {
  /** Replaces the log that the engine has. Its nodes then start again from this store. */
  replace: boolean;
}

/** @throws OperatorError if the database is damaged, or of another version: every node would get it */
const assertUsable = (client: ReturnType<typeof openExisting>, path: string): void => {
  try {
    assertSound(client);
    assertCurrent(client, migrations);
  } catch (error) {
    throw new OperatorError(`${path} cannot become the cluster's: ${reasonOf(error)}`, { cause: error });
  }
};

const assertNoOther = (head: Head | undefined, replace: boolean): void => {
  if (!head || replace) return;
  throw new OperatorError(
    `the engine has a log already, with ${head.position} records: to join its cluster, move the database of DATA_DIR away and start the server; to replace what the cluster holds with this database, add --replace`,
  );
};

/**
 * Makes the embedded store in this file, which no other process may use, the store of a cluster. Run it again after a crash.
 * @returns the log's id, and whether this call began it
 * @throws OperatorError if the engine has a log already
 */
export const joinCluster = async (
  path: string,
  log: Log,
  { replace, ...options }: JoinOptions,
): Promise<{ log: string; isNew: boolean }> => {
  const head = await log.head();
  const client = openExisting(path);
  try {
    if (head && replicaMark(client)?.log === head.log) return { log: head.log, isNew: false };
    assertNoOther(head, replace);
    assertUsable(client, path);
  } finally {
    client.close();
  }
  const isNew = await startLog(path, log, { ...options, ...(head && { replaces: head.log }) });
  const now = await log.head();
  if (!isNew || !now) throw new OperatorError("another node began a log meanwhile: run this again");
  return { log: now.log, isNew };
};

/** The effects of leaving a cluster on this node. */
interface Leaving {
  /** `current`: the node catches up first; `none`: the file is an embedded store; else the file's log is not in the engine. */
  readonly log: "none" | "current" | "lost" | "replaced";
  /** Names of other nodes that run and stay in the cluster. */
  readonly running: readonly string[];
}

/** @throws EngineUnavailable */
export const inspectLeaving = async (path: string, log: Log): Promise<Leaving> => {
  const client = openExisting(path);
  const mark = replicaMark(client);
  client.close();
  if (!mark) return { log: "none", running: [] };
  const head = await log.head();
  if (!head) return { log: "lost", running: [] };
  const running = (await readNodes(log)).map(({ name }) => name);
  return { log: head.log === mark.log ? "current" : "replaced", running };
};

/** Makes a replica, which no other process may use, an embedded store. It may be run again. */
export const makeEmbedded = (path: string): void => {
  const client = openExisting(path);
  unmarkReplica(client);
  client.close();
  removeOutdatedMark(path);
};
