import type { ContentDigest } from "./contents.ts";
import type { Outcome } from "./speculation.ts";
import type { Blame } from "./nodes.ts";
import type { Log, ReplicaDamaged } from "./log.ts";

/** A cluster server's parts in addition to its `Database`. Undefined without DATABASE_URL. */
export interface Cluster {
  readonly log: Log;
  /** Identifies this node: random, kept in DATA_DIR. */
  readonly node: string;
  /** How many nodes share the work and the limits: those that announce themselves, at least 1. */
  liveNodes(): number;
  state(): ReplicaState;
  /** What the replica's tables hold, at positions that nodes compare, in ascending order. */
  contents(): readonly ContentDigest[];
  /** Runs a request that may write on the file as it is, and again if that was not current. Only its writes are not doubled. */
  speculate<Result>(run: () => Promise<Result>): Promise<Outcome<Result>>;
  /** Resolves when the replica has to be rebuilt from the snapshot: the server then starts again. */
  readonly outdated: Promise<Error>;
  /** Serves nothing from now on, and makes the replica again. */
  fail(reason: ReplicaDamaged): void;
}

export interface ReplicaState {
  /** The position of the last record that was applied. */
  readonly position: number;
  /** The position of the last record that the engine has confirmed. */
  readonly head: number;
  /** When the replica was last known to be up to date, as a time of `performance.now()`; -Infinity: never. */
  readonly confirmedAt: number;
  /** The reason why writes and reads are currently refused. */
  readonly problem: string | undefined;
  /** The nodes whose records had another effect here, though this file is sound. */
  readonly blames: readonly Blame[];
  /** The engine refused the last write, because it is full. */
  readonly isEngineFull: boolean;
  readonly appends: number;
  /** Appends that another node's came before. */
  readonly lostAppends: number;
  /** Records of other nodes that were applied. */
  readonly applied: number;
  /** Bytes of the records that were appended or applied here since the start, before compression: the work to apply them. */
  readonly recordBytes: number;
  /** Seconds that appends took, all together. */
  readonly appendSeconds: number;
}
