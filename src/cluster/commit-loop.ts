import { type GroupCommitOptions, LOCK_WAIT_MS } from "../db/commit.ts";
import type { Write } from "../db/write.ts";
import { type WriteQueue, acceptWrites, writeQueue } from "../db/write-queue.ts";
import type { Growth } from "./growth.ts";
import type { WritingTurns } from "./turns.ts";

/** How long a node keeps its turn while its clients read their responses, and may send their next requests. */
const IDLE_MS = 4;

export interface CommitLoopOptions extends Pick<GroupCommitOptions, "groupSize" | "lockWait" | "queueLimit"> {
  turns: Pick<WritingTurns, "isHeld" | "pass" | "end">;
  growth: Pick<Growth, "notify">;
  /** Settles writes of one kind. */
  commitGroup(writes: readonly Write[]): Promise<void>;
  /** Applies what the log has. */
  catchUp(): Promise<void>;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Takes the first writes that can share a transaction. */
const takeGroup = (queue: WriteQueue, size: number): readonly Write[] => {
  const first = queue.first(size);
  const end = first.findIndex(({ isDerived }) => isDerived !== first[0]?.isDerived);
  const group = end < 0 ? first : first.slice(0, end);
  queue.removeFirst(group.length);
  return group;
};

/** Queues writes, commits them group by group, and applies the records of others when no write waits. */
export const commitLoop = ({
  groupSize = 1024,
  lockWait = LOCK_WAIT_MS,
  queueLimit,
  turns,
  growth,
  commitGroup,
  catchUp,
}: CommitLoopOptions) => {
  const queue = writeQueue();
  let running: Promise<void> | undefined;
  let isStopped = false;
  let mayHaveGrown = false;

  const follow = async (): Promise<void> => {
    mayHaveGrown = false;
    try {
      await catchUp();
    } catch {
      // The next poll of the head tries again, and says why it fails.
    }
  };

  const hasWork = () => queue.length() > 0 || turns.isHeld() || (mayHaveGrown && !isStopped);

  const step = async (): Promise<void> => {
    if (queue.length() > 0) {
      await commitGroup(takeGroup(queue, groupSize));
      await turns.pass();
    } else if (turns.isHeld()) {
      await Bun.sleep(IDLE_MS);
      if (queue.length() === 0) await turns.end();
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
    /** The log may have grown: applies what it has. */
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

export type CommitLoop = ReturnType<typeof commitLoop>;
