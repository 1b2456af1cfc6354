import type { Write } from "../db/write.ts";
import { type WriteRunner, writeRunner } from "../db/write-runner.ts";
import { NotReplicable } from "./deterministic.ts";
import type { ReplicaFile } from "./file.ts";
import { type Recording, newRecording } from "./recorder.ts";

/** A write that ran in the open transaction. */
interface PerformedWrite {
  readonly write: Write;
  /** It is in the record. Otherwise it has changed nothing. */
  readonly isRecorded: boolean;
  /** Call it when the write is in the log. */
  settle(): void;
}

/** What a group of writes did in the open transaction. */
export interface PerformedGroup extends Pick<Recording, "statements" | "effects"> {
  readonly writes: readonly PerformedWrite[];
}

/**
 * Returns a function that runs writes in the open transaction of the writer. A write that changes nothing is undone: SQLite may
 * have taken an id of an AUTOINCREMENT for a row that was not added, and no other node would.
 * @param beforeCommit as of `groupCommit`
 */
export const groupPerformer = ({ writer, record }: ReplicaFile, beforeCommit: () => boolean) => {
  let recording = newRecording();
  let isKept = false;
  const runWrite: WriteRunner = writeRunner(writer, () => (isKept = recording.hasChanges));
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

/** Runs a write that stays in this file: it may only write what each node has of its own. */
export const derivedRunner = ({ writer, record }: ReplicaFile): WriteRunner => {
  const runWrite = writeRunner(writer);
  return (write) => {
    const recording = newRecording();
    const settle = record(recording, () => runWrite(write));
    const [statement] = recording.statements;
    if (statement)
      throw new NotReplicable(`a derived write may not write what others read: ${statement.sql}`);
    return settle;
  };
};
