import type { ReplicaMark } from "../db/replica-mark.ts";
import {
  acceptWrites,
  LOCK_WAIT_MS,
  type Write,
  type WriteQueue,
  writeQueue,
  type WriteRunner,
  writeRunner,
} from "../db/commit.ts";
import type { Connection } from "../db/statement.ts";
import { DatabaseLocked, isStorageFailure, StorageUnavailable } from "../../lib/storage-errors.ts";
import { newRecording, NotReplicable, type Recording, type ReplicaFile } from "./file.ts";
import { AppendUnknown, EngineFull, EngineUnavailable, RecordTooLarge } from "./log.ts";
import type { Parts, ReplicaOptions } from "./parts.ts";
import { makeRecord } from "./record.ts";

/** A write that ran in the open transaction. */
interface PerformedWrite {
  readonly write: Write;
  /** It is in the record. Otherwise it has changed nothing. */
  readonly isRecorded: boolean;
  /** Call it when the write is in the log. */
  settle(): void;
}

/** The results of a group of writes in the open transaction. */
interface PerformedGroup extends Pick<Recording, "statements" | "effects"> {
  readonly writes: readonly PerformedWrite[];
}

/**
 * Returns a function that runs writes in the open transaction of the writer. A write that changes nothing is undone: SQLite may
 * have taken an id of an AUTOINCREMENT for a row that was not added, and no other node would.
 * @param beforeCommit as of `groupCommit`
 */
export const groupPerformer = (
  { writer, recorder, record }: ReplicaFile,
  beforeCommit: (connection: Connection) => void,
) => {
  let recording = newRecording();
  let isKept = false;
  const runWrite: WriteRunner = writeRunner(writer, recorder, () => (isKept = recording.hasChanges));
  return (writes: readonly Write[]): PerformedGroup => {
    const recordings: Recording[] = [];
    const performed = writes.map((write) => {
      recording = newRecording();
      isKept = false;
      const settle = record(recording, () => runWrite(write));
      if (isKept) recordings.push(recording);
      return { write, isRecorded: isKept, settle };
    });
    const end = newRecording();
    writer.run("SAVEPOINT act");
    record(end, () => beforeCommit(recorder));
    if (end.hasChanges) recordings.push(end);
    // A statement without rows also makes the row of an AUTOINCREMENT of its triggers.
    else writer.run("ROLLBACK TO act");
    writer.run("RELEASE act");
    return {
      writes: performed,
      statements: recordings.flatMap(({ statements }) => statements),
      effects: recordings.flatMap(({ effects }) => effects),
    };
  };
};

/** Runs a write that stays in this file: it may only write data that each node keeps separately. */
export const derivedRunner = ({ writer, recorder, record }: ReplicaFile): WriteRunner => {
  const runWrite = writeRunner(writer, recorder);
  return (write) => {
    const recording = newRecording();
    const settle = record(recording, () => runWrite(write));
    const [statement] = recording.statements;
    if (statement)
      throw new NotReplicable(`a derived write may not write what others read: ${statement.sql}`);
    return settle;
  };
};

/** `settled`: every write has its result. Otherwise all have to run again. */
type Attempt =
  | { readonly state: "settled"; readonly isAwaited: boolean }
  | { readonly state: "locked" | "behind" | "lost" | "too large" };

const SETTLED: Attempt = { state: "settled", isAwaited: false };

const refuse = (writes: readonly Write[], error: unknown): void => {
  for (const write of writes) write.reject(error);
};

/** A failure of the disk is reported as unavailable storage. */
const refusalOf = (error: unknown): unknown =>
  !(error instanceof StorageUnavailable) && isStorageFailure(error)
    ? new StorageUnavailable(String(error), { cause: error })
    : error;

/** Returns a function that tries to commit writes through the log, in a transaction of the file that stays open meanwhile. */
export const replication = (
  { node, log, file, transactions, progress, heads, counts, reads, origins, running }: Parts,
  perform: (writes: readonly Write[]) => PerformedGroup,
) => {
  const settle = ({ writes }: PerformedGroup): void => {
    for (const { write, isRecorded, settle: settleWrite } of writes) {
      origins.close(write, isRecorded);
      settleWrite();
    }
  };

  /** There is nothing to record. The rows that were read may be old, and the results wrong: the head shows whether they are. */
  const confirm = async (mark: ReplicaMark, group: PerformedGroup): Promise<Attempt> => {
    transactions.abandon();
    const sentAt = performance.now();
    if (progress.learnEnd(await heads.ask(), mark) > mark.position) return { state: "behind" };
    progress.confirm(sentAt);
    settle(group);
    return SETTLED;
  };

  /** The record is in the log, so its writes are done, regardless of the file's state. */
  const commitWon = (next: ReplicaMark, sentAt: number, group: PerformedGroup): void => {
    let isCommitted = false;
    try {
      file.advance(next);
      file.contents.advance(next.position - 1, next.position);
      isCommitted = transactions.commitOpen().state === "committed";
    } finally {
      if (isCommitted) {
        progress.advance(next);
        progress.confirm(sentAt);
      } else progress.learnHead(next.position);
      counts.committed++;
      reads.end();
      settle(group);
    }
  };

  /** Appends the record of a group, and commits it if no other node's record came before. */
  const append = async (mark: ReplicaMark, group: PerformedGroup): Promise<Attempt> => {
    const { record, next, bytes } = makeRecord(
      mark,
      { kind: "writes", statements: group.statements },
      group.effects,
      node,
    );
    const sentAt = performance.now();
    counts.appends++;
    counts.recordBytes += bytes;
    const { won, isAwaited } = await log
      .append(mark, next.id, record)
      .finally(() => (counts.appendSeconds += (performance.now() - sentAt) / 1000));
    counts.isEngineFull = false;
    if (won) {
      commitWon(next, sentAt, group);
      return { state: "settled", isAwaited };
    }
    transactions.abandon();
    counts.lostAppends++;
    return { state: "lost" };
  };

  /** The record may be in the log. Its writes that changed nothing are not in it, and can be tried again. */
  const refuseUnknown = ({ writes }: PerformedGroup, error: AppendUnknown): Attempt => {
    const refusal = new EngineUnavailable(error.message, { cause: error });
    for (const { write, isRecorded } of writes) {
      if (isRecorded) origins.close(write, true);
      write.reject(isRecorded ? error : refusal);
    }
    progress.suspect();
    return SETTLED;
  };

  const send = async (mark: ReplicaMark, group: PerformedGroup): Promise<Attempt> => {
    try {
      return await append(mark, group);
    } catch (error) {
      transactions.abandon();
      counts.isEngineFull = error instanceof EngineFull;
      if (error instanceof AppendUnknown) return refuseUnknown(group, error);
      if (error instanceof RecordTooLarge && group.writes.length > 1) return { state: "too large" };
      throw error;
    }
  };

  const attempt = async (queued: readonly Write[]): Promise<Attempt> => {
    const begun = transactions.open();
    if (begun?.state === "locked") return { state: "locked" };
    if (begun) {
      refuse(queued, refusalOf(begun.error));
      return SETTLED;
    }
    const writes = origins.refuseStale(queued);
    try {
      const mark = file.mark();
      progress.advance(mark);
      if (!progress.isBehind()) {
        const group = perform(writes);
        return await (group.statements.length > 0 ? send(mark, group) : confirm(mark, group));
      }
      transactions.abandon();
      return { state: "behind" };
    } catch (error) {
      transactions.abandon();
      refuse(writes, refusalOf(error));
      return SETTLED;
    }
  };
  return (writes: readonly Write[]): Promise<Attempt> => {
    const result = attempt(writes);
    running.attempt = result;
    return result;
  };
};

/** How long to wait for another process's lock. */
const RETRY_MS = 10;

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
      if (heads.isUnreachable()) return refuse(left, heads.failure());
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
  { lease, growth, origins }: Pick<Parts, "lease" | "growth" | "origins">,
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
    commit: acceptWrites(
      { ...queue, push: (write) => queue.push(origins.note(write)) },
      { queueLimit, lockWait, onWrite: start },
    ),
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
