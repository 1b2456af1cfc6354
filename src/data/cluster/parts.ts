import type { ReplicaMark } from "../db/replica-mark.ts";
import { withDeadline } from "../../lib/time.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isStorageFailure, ReplicaUnserved } from "../../lib/storage-errors.ts";
import {
  EngineUnavailable,
  type Head,
  type Log,
  ReplicaNewer,
  ReplicaOutdated,
  type WriteLease,
} from "./log.ts";
import { type FilesLost, watchFiles } from "../db/file-loss.ts";
import { detectChanges, sharedReads } from "../db/fresh-reads.ts";
import { lockHolder as holderOf } from "../db/other-processes.ts";
import type { ReadinessOptions } from "../db/readiness.ts";
import { type GroupCommitOptions, transactions } from "../db/commit.ts";
import { openReplicaFile } from "./file.ts";
import type { Blame } from "./nodes.ts";
import { writeOrigins } from "./speculation.ts";

/** How many requests for the head may be pending. Later callers meanwhile share the next one. */
const MAX_REQUESTS = 4;
const PATIENCE_MS = 3000;
/** How long it may take after the engine has stopped responding: requests of clients then fail immediately. */
const UNREACHABLE_PATIENCE_MS = 500;
const NO_HEAD = "the cluster's engine did not report the end of the log";
/** How long the engine must have failed to count as unreachable: a new leader is elected within that time. */
const UNREACHABLE_MS = 2000;

/** Rejects when the work takes longer than this. @param what names the missing event */
const withPatience = <Result>(work: Promise<Result>, ms: number, what: string): Promise<Result> =>
  withDeadline(work, ms, () => new EngineUnavailable(`${what} within ${ms} ms`));

/** Asks for the end of the log, and remembers since when the engine does not respond. */
const headRequests = (log: Log) => {
  let requests = 0;
  let free: (() => void) | undefined;
  let next: Promise<Head | undefined> | undefined;
  let failing: { since: number; error: unknown } | undefined;

  const isUnreachable = () => failing !== undefined && performance.now() - failing.since > UNREACHABLE_MS;

  const send = async (): Promise<Head | undefined> => {
    requests++;
    const sentAt = performance.now();
    try {
      const head = await withPatience(log.head(), PATIENCE_MS, NO_HEAD);
      failing = undefined;
      return head;
    } catch (error) {
      if (isStorageFailure(error)) failing = { since: failing?.since ?? sentAt, error };
      throw error;
    } finally {
      requests--;
      free?.();
    }
  };

  /** Sent as soon as another request ends. */
  const sendNext = (): Promise<Head | undefined> =>
    new Promise<void>((resolve) => (free = resolve)).then(() => {
      next = undefined;
      free = undefined;
      return send();
    });

  return {
    /** The end of the log, not older than this call. @throws EngineUnavailable */
    ask(): Promise<Head | undefined> {
      const request = requests < MAX_REQUESTS ? send() : (next ??= sendNext());
      return withPatience(request, isUnreachable() ? UNREACHABLE_PATIENCE_MS : PATIENCE_MS, NO_HEAD);
    },
    /** True if the engine has not responded for a while. */
    isUnreachable,
    /** The last failure, until the engine responds. */
    failure: () => failing?.error,
  };
};

/** Those who wait until a position is applied. */
const positionWaiters = () => {
  const waiting = new Set<{ position: number; resolve(): void; reject(error: unknown): void }>();
  return {
    async wait(position: number, ms: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter = { position, resolve, reject };
      waiting.add(waiter);
      try {
        await withPatience(promise, ms, "this node did not apply the records that it lacks");
      } finally {
        waiting.delete(waiter);
      }
    },
    reached(applied: number): void {
      for (const { position, resolve } of waiting) if (position <= applied) resolve();
    },
    refuse(error: unknown): void {
      for (const { reject } of waiting) reject(error);
    },
  };
};

/**
 * Compares the log with the file's mark from before the request.
 * @throws ReplicaOutdated if the log does not continue from there
 */
const assertContinues = (found: Head | undefined, before: ReplicaMark): Head => {
  if (!found) throw new ReplicaOutdated("the engine has no log");
  if (found.log !== before.log) throw new ReplicaOutdated("the engine has another log");
  if (found.position < before.position)
    throw new ReplicaNewer(`the log ends at ${found.position}, before the replica's ${before.position}`);
  if (found.position === before.position && found.id !== before.id)
    throw new ReplicaNewer(`record ${before.position} of the log is not the replica's`);
  return found;
};

/** How far this process knows that its replica has come, and the log. */
export const replicaProgress = (mark: ReplicaMark) => {
  let applied = mark;
  let head = mark.position;
  let confirmedAt = -Infinity;
  let failure: Error | undefined;
  let obstacle: Error | undefined;
  let isSuspect = false;
  const waiters = positionWaiters();
  const { promise: outdated, resolve: onOutdated } = Promise.withResolvers<Error>();

  const refusal = () =>
    failure && new ReplicaUnserved(`the replica is not served: ${reasonOf(failure)}`, { cause: failure });

  const assertUsable = (): void => {
    const refused = refusal();
    if (refused) throw refused;
  };

  const fail = (error: Error): void => {
    failure = error;
    if (error instanceof ReplicaOutdated) onOutdated(error);
    waiters.refuse(refusal());
  };

  return {
    applied: () => applied,
    head: () => head,
    confirmedAt: () => confirmedAt,
    /** Why requests are refused; undefined while all is well. */
    failure: () => failure,
    outdated,
    /** The file holds the log up to there. */
    advance(to: ReplicaMark): void {
      applied = to;
      head = Math.max(head, to.position);
      waiters.reached(applied.position);
    },
    /** The engine has the log up to there. */
    learnHead(position: number): void {
      head = Math.max(head, position);
    },
    isBehind: () => isSuspect || head > applied.position,
    /** The log may have a record of this node that the file does not hold: it is read before anything is written. */
    suspect: (): void => void (isSuspect = true),
    /** The log was read to its end. A head seen before may have been lost with the engine's server, which alone had it. */
    endReached(): void {
      isSuspect = false;
      head = applied.position;
    },
    /** At this time the engine had nothing that the file does not hold. */
    confirm(at: number): void {
      confirmedAt = Math.max(confirmedAt, at);
    },
    /** Waits until the file holds the log up to there, for so long at most. */
    async reach(position: number, ms: number): Promise<void> {
      assertUsable();
      if (position > applied.position) await waiters.wait(position, ms);
    },
    /** Why the last attempt to apply the log failed, such as a full disk; undefined if it did not. */
    obstacle: () => obstacle,
    noteObstacle: (error: Error | undefined): void => void (obstacle = error),
    /** Nothing is answered from now on: the replica is outdated, or the program is. */
    fail,
    /** @throws StorageUnavailable after `fail` */
    assertUsable,
    /**
     * Records the end of the log.
     * @param before the file's mark from before the request
     * @returns its position
     * @throws StorageUnavailable if the log does not continue from there: the replica has then failed
     */
    learnEnd(found: Head | undefined, before: ReplicaMark): number {
      try {
        const { position } = assertContinues(found, before);
        head = Math.max(head, position);
        return position;
      } catch (error) {
        fail(error as ReplicaOutdated);
        throw refusal();
      }
    },
  };
};

export const logGrowth = () => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    notify(): void {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    next: (): Promise<void> => promise,
  };
};

/** How long a node keeps writing while others wait. */
const HOLD_MS = 60;

/** When this node takes the write lease, and when it hands it over. It is only taken while several nodes write concurrently. */
export const writeLease = (log: Pick<Log, "writeLease">) => {
  let lease: WriteLease | undefined;
  let since = 0;
  let isContended = false;

  const release = async (reason: string): Promise<void> => {
    const held = lease;
    lease = undefined;
    await held?.release(reason);
  };

  return {
    /** False if this node need not wait before it writes. */
    mustWait: () => isContended && lease === undefined,
    async take(): Promise<void> {
      try {
        lease = await log.writeLease();
        since = performance.now();
      } catch {
        // Safety does not depend on it, and the append fails for the same reason.
      }
    },
    isHeld: () => lease !== undefined,
    /** Another node's record came first, or waits. */
    contend: (isNow: boolean): void => void (isContended = isNow),
    /** Lets others write, once this node has for long enough. */
    async handOver(): Promise<void> {
      const heldMs = performance.now() - since;
      if (lease && heldMs > HOLD_MS) await release(`handed over after ${Math.round(heldMs)} ms`);
    },
    release: (): Promise<void> => release("no write is queued"),
  };
};

export interface ReplicaOptions
  extends
    Pick<GroupCommitOptions, "groupSize" | "lockWait" | "queueLimit">,
    Pick<ReadinessOptions, "probeMs"> {
  node: string;
  /** The maximum age of the data that `recent` allows, in milliseconds. */
  staleMs?: number;
  /** How long a read waits until the records that it must see are applied. */
  applyMs?: number;
  /** Brings the schema of the whole cluster up to date, if this program is newer. Otherwise an older replica is refused. */
  migrates?: boolean;
}

/** The parts that reads and writes of the file share. */
export const openParts = (path: string, log: Log, node: string) => {
  const file = openReplicaFile(path);
  const { promise: lost, resolve: onLost } = Promise.withResolvers<FilesLost>();
  const changes = detectChanges(file.writer);
  const files = watchFiles(file.writer, onLost);
  const beginOwn = () => {
    files.assert();
    changes.beginOwn();
  };
  /** This process's work, for `cluster status` and the metrics. */
  const counts = {
    isEngineFull: false,
    appends: 0,
    lostAppends: 0,
    appendSeconds: 0,
    recordBytes: 0,
    applied: 0,
    committed: 0,
  };
  /** How often other processes and nodes have changed the file. */
  const foreignVersion = () => changes.foreign() + counts.applied;
  return {
    node,
    log,
    file,
    files,
    lost,
    changes,
    counts,
    foreignVersion,
    origins: writeOrigins(foreignVersion),
    /** The last attempt to commit. Other nodes may see its record before this one learns that it is in the log. */
    running: { attempt: Promise.resolve() as Promise<unknown> },
    transactions: transactions(file.writer, { beginOwn, endOwn: changes.endOwn }),
    progress: replicaProgress(file.mark()),
    heads: headRequests(log),
    lease: writeLease(log),
    growth: logGrowth(),
    reads: sharedReads(file.reader, changes.detect),
    lockHolder: () => holderOf(path),
    /** The nodes whose records had another effect here, though this file is sound. */
    blames: [] as Blame[],
  };
};

export type Parts = ReturnType<typeof openParts>;
