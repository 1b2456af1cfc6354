import type { Log } from "./log.ts";

/** How long a node goes on writing while others wait. */
const TURN_MS = 60;

/** This node's turn at writing. It is only asked for while several nodes write at once. */
export const writingTurns = (log: Pick<Log, "turn">) => {
  let turn: AsyncDisposable | undefined;
  let since = 0;
  let isContended = false;

  const end = async (): Promise<void> => {
    const ending = turn;
    turn = undefined;
    await ending?.[Symbol.asyncDispose]();
  };

  return {
    /** False if this node need not wait before it writes. */
    isToWait: () => isContended && turn === undefined,
    /** Waits for a turn. */
    async begin(): Promise<void> {
      try {
        turn = await log.turn();
        since = performance.now();
      } catch {
        // Safety does not depend on it, and the append fails for the same reason.
      }
    },
    isHeld: () => turn !== undefined,
    /** Another node's record came first, or waits. */
    contend: (isNow: boolean): void => void (isContended = isNow),
    /** Lets others write, once this node has for long enough. */
    async pass(): Promise<void> {
      if (turn && performance.now() - since > TURN_MS) await end().catch(() => {});
    },
    /** Nothing waits to be written. */
    end: (): Promise<void> => end().catch(() => {}),
  };
};

export type WritingTurns = ReturnType<typeof writingTurns>;
