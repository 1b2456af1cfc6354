import type { ReplicaMark } from "../db/replica-mark.ts";
import { reasonOf } from "../../lib/reason.ts";
import { isStorageFailure, ReplicaUnserved } from "../../lib/storage-errors.ts";
import { EngineUnavailable, ReplicaOutdated } from "./errors.ts";
import type { Head, Log } from "./log.ts";

/** How many requests for the head may be pending. Later callers meanwhile share the next one. */
const MAX_REQUESTS = 4;
/** How long a response may take. */
const PATIENCE_MS = 3000;
/** How long it may take after the engine has stopped responding: requests of clients then fail immediately. */
const AWAY_PATIENCE_MS = 500;
const NO_HEAD = "the cluster's engine did not say where the log ends";
/** How long the engine must have failed to count as unreachable: a new leader is elected within that time. */
const AWAY_MS = 2000;

/** Rejects when the work takes longer than this. @param what names the missing event */
const withPatience = <Result>(work: Promise<Result>, ms: number, what: string): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new EngineUnavailable(`${what} within ${ms} ms`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
};

/** Asks for the end of the log, and remembers since when the engine does not respond. */
export const headRequests = (log: Pick<Log, "head">) => {
  let requests = 0;
  let free: (() => void) | undefined;
  let next: Promise<Head | undefined> | undefined;
  let failing: { since: number; error: unknown } | undefined;

  const isAway = () => failing !== undefined && performance.now() - failing.since > AWAY_MS;

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
      return withPatience(request, isAway() ? AWAY_PATIENCE_MS : PATIENCE_MS, NO_HEAD);
    },
    /** True if the engine has not responded for a while. */
    isAway,
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
    throw new ReplicaOutdated(`the log ends at ${found.position}, before the replica's ${before.position}`);
  if (found.position === before.position && found.id !== before.id)
    throw new ReplicaOutdated(`record ${before.position} of the log is not the replica's`);
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
    suspect: (isNow: boolean): void => void (isSuspect = isNow),
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
