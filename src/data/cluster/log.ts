import { EngineUnavailable, OutcomeUnknown } from "../../lib/storage-errors.ts";
export { EngineFull, EngineUnavailable, RecordTooLarge } from "../../lib/storage-errors.ts";

/**
 * A log that a replicated engine keeps: records in one order, each on a majority of disks before `append` resolves. Every
 * node applies them in this order to its SQLite file. Consensus, durability and failover are the engine's.
 */
export interface Log {
  /** The end of the log, linearizable: not older than any `append` that was answered before this call. Undefined: no log yet. */
  head(): Promise<Head | undefined>;
  /**
   * Starts a log from a snapshot, unless a log other than `replaces` exists. The records of `replaces` are then removed.
   * @returns false if another node was first; true again for the log that it has
   */
  create(first: Snapshot, replaces?: string): Promise<boolean>;
  /**
   * Appends a record after `after`, if the log still ends exactly there, with the same id. When the response is lost, asks
   * the engine whether the record of this id is there, so that a lost response never counts as a lost race.
   * @throws EngineUnavailable if nothing was appended; AppendUnknown if that cannot be determined; RecordTooLarge
   */
  append(after: Head, id: string, record: Uint8Array): Promise<Append>;
  /**
   * The records after `after`, in order, at most `limit` and a few MiB; linearizable.
   * @throws LogTrimmed if the next one was removed: start from the snapshot
   */
  read(after: Pick<Head, "log" | "position">, limit: number): Promise<LogRecord[]>;
  /** Calls back whenever the log may have grown, and after every reconnection, until `signal`. */
  watch(onChange: () => void, signal: AbortSignal): void;
  /**
   * Waits in line for the write lease, at most a few seconds. It affects only fairness between nodes, never safety: it
   * expires when its holder stops responding for 5 s. It does not throw: without an engine, the node continues without it.
   */
  writeLease(): Promise<WriteLease>;
  /**
   * A lease for work that one node does. It avoids duplicate work, and nothing else: its holder may be stopped for longer than
   * the lease lasts. Renewed until it is disposed of.
   * @param value up to 64 KiB for other nodes to see
   * @returns undefined while another node has it
   */
  claim(name: string, ttlMs: number, value?: string): Promise<Claim | undefined>;
  /** The claims whose names begin with `prefix`, and their values. */
  claims(prefix: string): Promise<ReadonlyMap<string, string>>;
  snapshot(): Promise<Snapshot | undefined>;
  /** Announces a snapshot, if it is of this log and newer than the one before. @returns false if it is not */
  announce(snapshot: Snapshot): Promise<boolean>;
  /** Removes the records up to this position, which a snapshot must cover. */
  trim(upTo: number): Promise<void>;
  /** Small files in the engine, such as the parts of a snapshot, up to 1 MiB each. */
  readonly files: LogFiles;
  /** The engine's state for `cluster status` and `doctor`. It does not throw: the result contains the failures. */
  health(): Promise<EngineHealth>;
  /** Frees the space of what was removed, so that a full engine accepts writes again. Undefined if the engine does so itself. */
  readonly reclaim: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

export interface Head {
  /** Identifies the log: a restored backup begins another one. */
  readonly log: string;
  /** The position of the last record; the first record has the position after the first snapshot's. */
  readonly position: number;
  /** The id of the last record. After a failover, the same position may have another id. */
  readonly id: string;
}

export interface LogRecord {
  readonly position: number;
  readonly id: string;
  readonly record: Uint8Array;
}

export interface Append {
  /** False: the log ended elsewhere, and nothing was put. */
  readonly won: boolean;
  /** Another node has the write lease, or waits for it. */
  readonly isAwaited: boolean;
}

export interface WriteLease {
  /** Lets the next node in line write. It does not throw. @param reason for the log */
  release(reason: string): Promise<void>;
}

/** Disposing of it does not throw: if the engine is unreachable, the lease expires. */
export interface Claim extends AsyncDisposable {
  /** Aborts when the lease may have ended, by this node's clock, before another node can have it. Its reason is a text. */
  readonly lost: AbortSignal;
  update(value: string): Promise<void>;
}

/** A copy of the database, from which a node starts. The log continues after it. */
export interface Snapshot extends Head {
  /** The running checksum of the log at this position: see record.ts. */
  readonly checksum: string;
  /** The place of the copy: see snapshots.ts. Up to 64 KiB. */
  readonly reference: string;
}

export interface LogFiles {
  /** Use a name for one content only: an attempt without a response may be carried out later than the next one. */
  put(name: string, content: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
  list(prefix: string): Promise<string[]>;
  remove(names: readonly string[]): Promise<void>;
}

export interface EngineHealth {
  /** `etcd 3.4.23`, `PostgreSQL 15.8`; undefined if no member could be asked. */
  readonly version: string | undefined;
  readonly members: readonly EngineMember[];
  /** How much the engine stores, in bytes; undefined if it does not report that. */
  readonly bytes: number | undefined;
  /** How much of it is in use, if the engine keeps the rest for later; undefined: all, or it is not reported. */
  readonly bytesInUse?: number | undefined;
  /** The size at which the engine refuses writes; undefined if it does not report that. */
  readonly quota?: number | undefined;
  /** It refuses writes until the operator frees space. */
  readonly isFull?: boolean;
  /** Recommended changes for the operator, in sentences, such as for a PostgreSQL without a synchronous standby. */
  readonly advice?: readonly string[];
}

export interface EngineMember {
  /** Host and port, without credentials. */
  readonly address: string;
  /** Why it cannot be used; undefined if it can. */
  readonly problem: string | undefined;
  /** Writes go through it. */
  readonly isLeader: boolean;
}

export interface PemFiles {
  ca?: string;
  cert?: string;
  key?: string;
}

/** Reports the other errors of a poller: that the engine is unreachable is reported once, by its monitor. */
export const exceptUnavailable =
  (onError: (error: unknown) => void) =>
  (error: unknown): void => {
    if (!(error instanceof EngineUnavailable)) onError(error);
  };

/** A record was sent to the engine, and whether it is in the log could not be found out in time. */
export class AppendUnknown extends OutcomeUnknown {
  override name = "AppendUnknown";
}

/** The records that a node needs were removed: it has to start from the snapshot. */
export class LogTrimmed extends Error {
  override name = "LogTrimmed";
}

/** The replica differs from the log, or lacks records that were removed: it has to be rebuilt from the snapshot. */
export class ReplicaOutdated extends Error {
  override name = "ReplicaOutdated";
  /** The file is kept under another name when it is rebuilt. */
  readonly keptAs: Keeping | undefined = undefined;
}

/** `newer`: it has records that the engine lost. */
export type Keeping = "damaged" | "newer";

/** The engine lost records that the replica has: it was restored to an older state. */
export class ReplicaNewer extends ReplicaOutdated {
  override name = "ReplicaNewer";
  override readonly keptAs = "newer";
}

/** A record had a different effect here than on the node that made it: one of the two files is damaged. */
export class EffectDiffers extends ReplicaOutdated {
  override name = "EffectDiffers";

  constructor(
    readonly position: number,
    readonly id: string,
    /** The id of the node that made it. */
    readonly node: string | undefined,
  ) {
    super(`record ${position} had another effect here than where it was made`);
  }
}

/** The replica's file has changed by itself, such as by a failing disk. */
export class ReplicaDamaged extends ReplicaOutdated {
  override name = "ReplicaDamaged";
  override readonly keptAs = "damaged";
}
