import {
  acceptWrites,
  LOCK_WAIT_MS,
  type Write,
  type WriteQueue,
  writeQueue,
  type WriteRunner,
} from "../db/commit.ts";
import { DatabaseLocked } from "../../lib/storage-errors.ts";
import { EngineUnavailable } from "./log.ts";
import type { Parts, ReplicaOptions } from "./parts.ts";
import type { Attempt } from "./replicate.ts";

/** How long to wait for another process's lock. */
const RETRY_MS = 10;

const refuse = (writes: readonly Write[], error: unknown): void => {
  for (const write of writes) write.reject(error);
};

interface Steps {
  attempt(writes: readonly Write[]): Promise<Attempt>;
  catchUp(): Promise<void>;
  runDerived: WriteRunner;
}

export const groupCommitter = (
  { lockHolder, transactions, progress, heads, lease, growth, reads }: Parts,
  { attempt, catchUp, runDerived }: Steps,
) => {
  const lateReason = (now: number): Error => {
    const since = transactions.lockedSince();
    return since === undefined
      ? new EngineUnavailable("the cluster's engine took too long: nothing was written")
      : new DatabaseLocked(Math.floor((now - since) / 1000), lockHolder());
  };

  /** Refuses the writes that have waited for too long, and returns the others. */
  const refuseLate = (writes: readonly Write[]): readonly Write[] => {
    const now = performance.now();
    const late = writes.filter(({ deadline }) => deadline < now);
    if (late.length === 0) return writes;
    refuse(late, lateReason(now));
    return writes.filter(({ deadline }) => deadline >= now);
  };

  /** Commits writes that each node makes separately: they need no log, and readers cannot see them. */
  const commitDerived = async (writes: readonly Write[]): Promise<void> => {
    for (let left = writes; left.length > 0; left = refuseLate(left)) {
      const settlers: (() => void)[] = [];
      const result = transactions.run(() => {
        for (const write of left) settlers.push(runDerived(write));
        return false;
      });
      if (result.state === "refused") return refuse(left, result.error);
      if (result.state === "committed") {
        reads.end();
        return settlers.forEach((settle) => settle());
      }
      await Bun.sleep(RETRY_MS);
    }
  };

  /** Waits for the write lease, and applies the writes of other nodes meanwhile: reads wait for it. */
  const takeLease = async (): Promise<void> => {
    const isTaken = lease.take().then(() => true);
    for (;;) {
      const hasGrown = growth.next().then(() => false);
      // The attempt to write reports the problem.
      await catchUp().catch(() => {});
      if (await Promise.race([isTaken, hasGrown])) return;
    }
  };

  /** Applies the record that won instead. Without one, the log is shorter than the file. */
  const concede = async (): Promise<void> => {
    lease.contend(true);
    const before = progress.applied();
    await catchUp();
    if (progress.applied().position === before.position) progress.learnEnd(await heads.ask(), before);
  };

  /** Commits writes through the log: all of them together, unless their record is too large. */
  const commitReplicated = async (writes: readonly Write[]): Promise<void> => {
    for (let left = writes; left.length > 0; left = refuseLate(left)) {
      if (heads.isAway()) return refuse(left, heads.failure());
      if (lease.mustWait()) await takeLease();
      if (progress.isBehind()) await catchUp();
      const result = await attempt(left);
      if (result.state === "settled") return lease.contend(result.isAwaited);
      if (result.state === "too large") {
        const half = Math.ceil(left.length / 2);
        await commitReplicated(left.slice(0, half));
        return commitReplicated(left.slice(half));
      }
      if (result.state === "lost") await concede();
      if (result.state === "locked") await Bun.sleep(RETRY_MS);
    }
  };

  return {
    refuseLate,
    /** Commits writes of one kind, and resolves when each of them is settled. It never rejects. */
    async commitGroup(writes: readonly Write[]): Promise<void> {
      try {
        progress.assertUsable();
        await (writes[0]?.isDerived ? commitDerived(writes) : commitReplicated(writes));
      } catch (error) {
        refuse(writes, error);
      }
    },
  };
};

/** How long a node keeps the write lease while its clients read their responses, and may send their next requests. */
const IDLE_MS = 4;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const takeGroup = (queue: WriteQueue, size: number): readonly Write[] => {
  const first = queue.first(size);
  const end = first.findIndex(({ isDerived }) => isDerived !== first[0]?.isDerived);
  const group = end < 0 ? first : first.slice(0, end);
  queue.removeFirst(group.length);
  return group;
};

/** Queues writes, commits them group by group, and applies the records of others when no write waits. */
export const commitLoop = (
  { lease, growth }: Pick<Parts, "lease" | "growth">,
  {
    groupSize = 1024,
    lockWait = LOCK_WAIT_MS,
    queueLimit,
  }: Pick<ReplicaOptions, "groupSize" | "lockWait" | "queueLimit">,
  { commitGroup, catchUp }: Pick<Steps, "catchUp"> & { commitGroup(writes: readonly Write[]): Promise<void> },
) => {
  const queue = writeQueue();
  let running: Promise<void> | undefined;
  let isStopped = false;
  let mayHaveGrown = false;

  const follow = async (): Promise<void> => {
    mayHaveGrown = false;
    try {
      await catchUp();
    } catch {
      // The next poll of the head tries again, and reports the failure.
    }
  };

  const hasWork = () => queue.length() > 0 || lease.isHeld() || (mayHaveGrown && !isStopped);

  const step = async (): Promise<void> => {
    if (queue.length() > 0) {
      await commitGroup(takeGroup(queue, groupSize));
      await lease.handOver();
    } else if (lease.isHeld()) {
      await Bun.sleep(IDLE_MS);
      if (queue.length() === 0) await lease.release();
    } else await follow();
  };

  const run = async (): Promise<void> => {
    // Writes of the same turn of the event loop share a record. Derived writes, which wait for no engine, let others run.
    for (await nextTurn(); hasWork(); await nextTurn()) await step();
    running = undefined;
  };
  const start = (): void => void (running ??= run());

  return {
    commit: acceptWrites(queue, { queueLimit, lockWait, onWrite: start }),
    /** The log may have grown: applies its new records. */
    follow(): void {
      mayHaveGrown = true;
      growth.notify();
      start();
    },
    /** Calls back with the writes whose deadline has passed. */
    expire(refuse: (late: readonly Write[]) => void): void {
      const late = queue.removeLate(performance.now());
      if (late.length > 0) refuse(late);
    },
    /** Waits until every queued write is settled, and follows the log no longer. */
    async stop(): Promise<void> {
      isStopped = true;
      await queue.drain();
      await running;
    },
  };
};
