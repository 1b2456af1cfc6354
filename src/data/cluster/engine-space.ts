import { type Poller, repeat } from "../../lib/poller.ts";
import type { EngineHealth, Log } from "./log.ts";

const CHECK_MS = 60_000;
/** After an attempt, which may have freed little. */
const PAUSE_MS = 60 * 60_000;

const NEARLY_FULL = 0.8;
/** A defragmentation stops each member for a moment. It is worth that if it frees half of the space. */
const MAX_USED = 0.5;

/** Whether the engine is full, or nearly, and can free much space. */
const isDue = ({ bytes = 0, bytesInUse = bytes, quota = Infinity, isFull }: EngineHealth): boolean =>
  isFull === true || (bytes >= quota * NEARLY_FULL && bytesInUse <= bytes * MAX_USED);

interface SpaceOptions {
  onReclaimed(before: EngineHealth, after: EngineHealth): void;
  onError(error: unknown): void;
  checkMs?: number;
}

/** Frees space in the engine before it is full, or when it is. Run it on one node. */
export const spacePoller = (
  { health, reclaim }: Pick<Log, "health" | "reclaim">,
  { onReclaimed, onError, checkMs = CHECK_MS }: SpaceOptions,
): Poller => {
  let restsUntil = -Infinity;
  const work = async (): Promise<void> => {
    if (!reclaim || performance.now() < restsUntil) return;
    const before = await health();
    if (!isDue(before)) return;
    restsUntil = performance.now() + PAUSE_MS;
    await reclaim();
    onReclaimed(before, await health());
  };
  return repeat(checkMs, work, { onError });
};
