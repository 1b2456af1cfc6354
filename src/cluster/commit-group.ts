import type { Transactions } from "../db/transaction.ts";
import type { Write } from "../db/write.ts";
import type { WriteRunner } from "../db/write-runner.ts";
import { DatabaseLocked } from "../lib/storage-errors.ts";
import { EngineUnavailable } from "./errors.ts";
import type { Growth } from "./growth.ts";
import type { HeadRequests } from "./heads.ts";
import type { Progress } from "./progress.ts";
import type { Attempt } from "./replicate.ts";
import type { WritingTurns } from "./turns.ts";

/** How long to wait for another process's lock. */
const RETRY_MS = 10;

export interface CommitGroupOptions {
  lockHolder: () => string;
  transactions: Pick<Transactions, "run" | "lockedSince">;
  progress: Progress;
  heads: Pick<HeadRequests, "ask" | "isAway" | "failure">;
  turns: WritingTurns;
  growth: Pick<Growth, "next">;
  attempt(writes: readonly Write[]): Promise<Attempt>;
  catchUp(): Promise<void>;
  runDerived: WriteRunner;
  /** Called after each commit of derived writes, before they are settled. */
  onDerived(): void;
}

const refuse = (writes: readonly Write[], error: unknown): void => {
  for (const write of writes) write.reject(error);
};

/** Returns a function that refuses the writes that have waited for too long, and returns the others. */
export const deadlines = ({
  transactions,
  lockHolder,
}: Pick<CommitGroupOptions, "transactions" | "lockHolder">) => {
  const reason = (now: number): Error => {
    const since = transactions.lockedSince();
    return since === undefined
      ? new EngineUnavailable("the cluster's engine took too long: nothing was written")
      : new DatabaseLocked(Math.floor((now - since) / 1000), lockHolder());
  };
  return (writes: readonly Write[]): readonly Write[] => {
    const now = performance.now();
    const late = writes.filter(({ deadline }) => deadline < now);
    if (late.length === 0) return writes;
    refuse(late, reason(now));
    return writes.filter(({ deadline }) => deadline >= now);
  };
};

/** Commits writes that each node makes by itself: they need no log, and no reader can tell. */
const derivedCommit =
  ({ transactions, runDerived, onDerived }: CommitGroupOptions, inTime: ReturnType<typeof deadlines>) =>
  async (writes: readonly Write[]): Promise<void> => {
    for (let left = writes; left.length > 0; left = inTime(left)) {
      const settlers: (() => void)[] = [];
      const result = transactions.run(() => {
        for (const write of left) settlers.push(runDerived(write));
        return false;
      });
      if (result.state === "refused") return refuse(left, result.error);
      if (result.state === "committed") {
        onDerived();
        return settlers.forEach((settle) => settle());
      }
      await Bun.sleep(RETRY_MS);
    }
  };

/** Waits for a turn at writing, and applies what others write meanwhile: reads wait for it. */
const turnTaker =
  ({ turns, growth, catchUp }: CommitGroupOptions) =>
  async (): Promise<void> => {
    const isTurn = turns.begin().then(() => true);
    for (;;) {
      const hasGrown = growth.next().then(() => false);
      // The attempt to write says what is wrong.
      await catchUp().catch(() => {});
      if (await Promise.race([isTurn, hasGrown])) return;
    }
  };

/** Commits writes through the log: all of them together, unless their record is too large. */
const replicatedCommit = (options: CommitGroupOptions, inTime: ReturnType<typeof deadlines>) => {
  const { heads, turns, progress, catchUp, attempt } = options;
  const takeTurn = turnTaker(options);
  /** Applies the record that won instead. If there is none, the log no longer ends where the file does. */
  const concede = async (): Promise<void> => {
    turns.contend(true);
    const before = progress.applied();
    await catchUp();
    if (progress.applied().position === before.position) progress.learnEnd(await heads.ask(), before);
  };
  const commit = async (writes: readonly Write[]): Promise<void> => {
    for (let left = writes; left.length > 0; left = inTime(left)) {
      if (heads.isAway()) return refuse(left, heads.failure());
      if (turns.isToWait()) await takeTurn();
      if (progress.isBehind()) await catchUp();
      const result = await attempt(left);
      if (result.state === "settled") return turns.contend(result.isAwaited);
      if (result.state === "too large") {
        const half = Math.ceil(left.length / 2);
        await commit(left.slice(0, half));
        return commit(left.slice(half));
      }
      if (result.state === "lost") await concede();
      if (result.state === "locked") await Bun.sleep(RETRY_MS);
    }
  };
  return commit;
};

/** Returns a function that commits writes of one kind, and resolves when each of them is settled. It never rejects. */
export const groupCommitter = (options: CommitGroupOptions) => {
  const inTime = deadlines(options);
  const commitDerived = derivedCommit(options, inTime);
  const commitReplicated = replicatedCommit(options, inTime);
  return async (writes: readonly Write[]): Promise<void> => {
    try {
      options.progress.assertUsable();
      await (writes[0]?.isDerived ? commitDerived(writes) : commitReplicated(writes));
    } catch (error) {
      refuse(writes, error);
    }
  };
};
