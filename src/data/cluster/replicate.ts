import type { ReplicaMark } from "../db/replica-mark.ts";
import { type Write, type WriteRunner, writeRunner } from "../db/commit.ts";
import { isStorageFailure, StorageUnavailable } from "../../lib/storage-errors.ts";
import { newRecording, NotReplicable, type Recording, type ReplicaFile } from "./file.ts";
import { AppendUnknown, EngineUnavailable, RecordTooLarge } from "./log.ts";
import type { Parts } from "./parts.ts";
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
export const groupPerformer = ({ writer, client, record }: ReplicaFile, beforeCommit: () => boolean) => {
  let recording = newRecording();
  let isKept = false;
  const runWrite: WriteRunner = writeRunner(writer, client, () => (isKept = recording.hasChanges));
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
    record(end, beforeCommit);
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
export const derivedRunner = ({ writer, client, record }: ReplicaFile): WriteRunner => {
  const runWrite = writeRunner(writer, client);
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
export type Attempt =
  | { readonly state: "settled"; readonly isAwaited: boolean }
  | { readonly state: "locked" | "behind" | "lost" | "too large" };

const SETTLED: Attempt = { state: "settled", isAwaited: false };

const refuse = (writes: readonly Write[], error: unknown): Attempt => {
  const isStorage = !(error instanceof StorageUnavailable) && isStorageFailure(error);
  const refusal = isStorage ? new StorageUnavailable(String(error), { cause: error }) : error;
  for (const write of writes) write.reject(refusal);
  return SETTLED;
};

const settle = ({ writes }: PerformedGroup): void => {
  for (const { settle: settleWrite } of writes) settleWrite();
};

/** Returns a function that tries to commit writes through the log, in a transaction of the file that stays open meanwhile. */
export const replication = (
  { log, file, transactions, progress, heads, counts, reads }: Parts,
  perform: (writes: readonly Write[]) => PerformedGroup,
) => {
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
    );
    const sentAt = performance.now();
    counts.appends++;
    counts.recordBytes += bytes;
    const { won, isAwaited } = await log
      .append(mark, next.id, record)
      .finally(() => (counts.appendSeconds += (performance.now() - sentAt) / 1000));
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
    for (const { write, isRecorded } of writes) write.reject(isRecorded ? error : refusal);
    progress.suspect(true);
    return SETTLED;
  };

  const send = async (mark: ReplicaMark, group: PerformedGroup): Promise<Attempt> => {
    try {
      return await append(mark, group);
    } catch (error) {
      transactions.abandon();
      if (error instanceof AppendUnknown) return refuseUnknown(group, error);
      if (error instanceof RecordTooLarge && group.writes.length > 1) return { state: "too large" };
      throw error;
    }
  };

  return async (writes: readonly Write[]): Promise<Attempt> => {
    const begun = transactions.open();
    if (begun?.state === "locked") return { state: "locked" };
    if (begun) return refuse(writes, begun.error);
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
      return refuse(writes, error);
    }
  };
};
