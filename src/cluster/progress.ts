import { reasonOf } from "../lib/reason.ts";
import type { ReplicaMark } from "../db/replica-mark.ts";
import { ReplicaUnserved } from "../lib/storage-errors.ts";
import { ReplicaOutdated } from "./errors.ts";
import { withPatience } from "./heads.ts";
import type { Head } from "./log.ts";

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
 * Compares the log with what the file held before the log was asked.
 * @throws ReplicaOutdated if the log does not go on from there
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
    /** Why nothing is answered any more; undefined while all is well. */
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
     * Learns where the log ends.
     * @param before what the file held before the log was asked
     * @returns its position
     * @throws StorageUnavailable if the log does not go on from there: the replica has then failed
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

export type Progress = ReturnType<typeof replicaProgress>;
