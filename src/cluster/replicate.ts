import type { Transactions } from "../db/transaction.ts";
import type { Write } from "../db/write.ts";
import { StorageUnavailable, isStorageFailure } from "../lib/storage-errors.ts";
import { AppendUnknown, EngineUnavailable, RecordTooLarge } from "./errors.ts";
import type { ReplicaFile } from "./file.ts";
import type { PerformedGroup } from "./group.ts";
import type { HeadRequests } from "./heads.ts";
import type { Log } from "./log.ts";
import type { Progress } from "./progress.ts";
import { makeRecord } from "./record.ts";
import type { ReplicaMark } from "../db/replica-mark.ts";

/** What `cluster status` and the metrics say of the writes of a process. */
export interface AppendCounts {
  appends: number;
  lostAppends: number;
  appendSeconds: number;
  recordBytes: number;
}

export interface ReplicationOptions {
  log: Pick<Log, "append">;
  file: ReplicaFile;
  transactions: Pick<Transactions, "open" | "commitOpen" | "abandon">;
  progress: Progress;
  heads: HeadRequests;
  perform(writes: readonly Write[]): PerformedGroup;
  counts: AppendCounts;
  /** Called after each commit, before its writes are settled. */
  onCommitted(): void;
}

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

/** Nothing is to be recorded. What was read may be old, and the results wrong: the head says whether it is. */
const confirm = async (
  { transactions, progress, heads }: ReplicationOptions,
  mark: ReplicaMark,
  group: PerformedGroup,
): Promise<Attempt> => {
  transactions.abandon();
  const sentAt = performance.now();
  if (progress.learnEnd(await heads.ask(), mark) > mark.position) return { state: "behind" };
  progress.confirm(sentAt);
  settle(group);
  return SETTLED;
};

/** The record is in the log, so its writes are done, whatever becomes of the file. */
const commitWon = (
  { file, transactions, progress, onCommitted }: ReplicationOptions,
  next: ReplicaMark,
  sentAt: number,
  group: PerformedGroup,
): void => {
  let isCommitted = false;
  try {
    file.advance(next);
    isCommitted = transactions.commitOpen().state === "committed";
  } finally {
    if (isCommitted) {
      progress.advance(next);
      progress.confirm(sentAt);
    } else progress.learnHead(next.position);
    onCommitted();
    settle(group);
  }
};

/** The record may be in the log. Its writes that changed nothing are not in it, and can be tried again. */
const refuseUnknown = (progress: Progress, { writes }: PerformedGroup, error: AppendUnknown): Attempt => {
  const refusal = new EngineUnavailable(error.message, { cause: error });
  for (const { write, isRecorded } of writes) write.reject(isRecorded ? error : refusal);
  progress.suspect(true);
  return SETTLED;
};

/** Appends the record of a group, and commits it if no other node's record came before. */
const append = async (
  options: ReplicationOptions,
  mark: ReplicaMark,
  group: PerformedGroup,
): Promise<Attempt> => {
  const { log, transactions, counts } = options;
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
    commitWon(options, next, sentAt, group);
    return { state: "settled", isAwaited };
  }
  transactions.abandon();
  counts.lostAppends++;
  return { state: "lost" };
};

/** Returns a function that tries to commit writes through the log, in a transaction of the file that stays open meanwhile. */
export const replication = (options: ReplicationOptions) => {
  const { file, transactions, progress, perform } = options;

  const send = async (mark: ReplicaMark, group: PerformedGroup): Promise<Attempt> => {
    try {
      return await append(options, mark, group);
    } catch (error) {
      transactions.abandon();
      if (error instanceof AppendUnknown) return refuseUnknown(progress, group, error);
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
        return await (group.statements.length > 0 ? send(mark, group) : confirm(options, mark, group));
      }
      transactions.abandon();
      return { state: "behind" };
    } catch (error) {
      transactions.abandon();
      return refuse(writes, error);
    }
  };
};
