import { replicaMark, unmarkReplica } from "../db/replica-mark.ts";
import { openExisting } from "../db/snapshot.ts";
import { removeOutdatedMark } from "./load-snapshot.ts";
import type { Log } from "./log.ts";
import { readNodes } from "./nodes.ts";

/** What leaving a cluster means for this node. */
export interface Leaving {
  /** `current`: the node catches up first; `none`: the file is an embedded store; else the file's log is not in the engine. */
  readonly log: "none" | "current" | "lost" | "replaced";
  /** Names of other nodes that run at present, and go on. */
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
