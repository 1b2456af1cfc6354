import { reasonOf } from "../lib/reason.ts";
import { EngineUnavailable } from "./errors.ts";
import type { EngineHealth, Head, Log, Snapshot } from "./log.ts";
import { type NodeEntry, readNodes } from "./nodes.ts";
import { type SnapshotParts, parseReference } from "./snapshot-files.ts";

/** A snapshot, and what is known of its parts. */
export type ReportedSnapshot = Pick<Snapshot, "position"> &
  Pick<SnapshotParts, "store" | "bytes" | "compressed" | "madeAt">;

/** Work that one node does, and its node. */
export interface ReportedClaim {
  readonly name: string;
  /** The id of the node that has it. */
  readonly node: string;
}

/** What the log says of itself. */
interface LogReport {
  readonly head: Head | undefined;
  readonly nodes: readonly NodeEntry[];
  readonly snapshot: ReportedSnapshot | undefined;
  readonly claims: readonly ReportedClaim[];
}

/** A cluster as its engine knows it. */
export interface ClusterReport {
  readonly engine: EngineHealth;
  /** Undefined while the engine cannot be used. */
  readonly log: LogReport | undefined;
  /** Why it cannot be used. */
  readonly problem: string | undefined;
}

const NODE_CLAIM = /^node\//;

const reported = (snapshot: Snapshot | undefined): ReportedSnapshot | undefined => {
  if (!snapshot) return undefined;
  const { store, bytes, compressed, madeAt } = parseReference(snapshot.reference);
  return { position: snapshot.position, store, bytes, compressed, madeAt };
};

const readLog = async (log: Log): Promise<LogReport> => {
  const [head, nodes, snapshot, claims] = await Promise.all([
    log.head(),
    readNodes(log),
    log.snapshot(),
    log.claims(""),
  ]);
  return {
    head,
    nodes,
    snapshot: reported(snapshot),
    claims: [...claims]
      .filter(([name]) => !NODE_CLAIM.test(name))
      .map(([name, node]) => ({ name, node }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  };
};

/** Asks the engine for everything that is known of a cluster. It does not throw if the engine is away. */
export const readReport = async (log: Log): Promise<ClusterReport> => {
  const [engine, known] = await Promise.all([
    log.health(),
    readLog(log).catch((error: unknown) => {
      if (error instanceof EngineUnavailable) return reasonOf(error);
      throw error;
    }),
  ]);
  return typeof known === "string"
    ? { engine, log: undefined, problem: known }
    : { engine, log: known, problem: undefined };
};
