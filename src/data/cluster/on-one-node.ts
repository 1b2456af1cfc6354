import { type Poller, repeat } from "../../lib/poller.ts";
import { type Claim, exceptUnavailable, type Log } from "./log.ts";

/** A node that stops responding loses its claim after this time. */
const TTL_MS = 8000;
/** How often the other nodes try to get it. */
const RETRY_MS = 2000;

interface OneNodeOptions {
  name: string;
  /** Identifies this node to the others. */
  node: string;
  /** Called once this node has the claim, and once it has lost it. */
  onChange?: (isHolder: boolean) => void;
  onError: (error: unknown) => void;
  retryMs?: number;
}

/**
 * Runs pollers on one node of a cluster: the one that holds the claim. When it stops, another node starts them at its next try;
 * when it dies, after about ten seconds. A claim only avoids duplicate work: its holder may be stopped for longer than its lease
 * lasts, so work that must not happen twice depends on a conditional write.
 *
 * The pollers are *stopped* until the claim is won, *running* while it is held, and stopped again when it is lost: that aborts
 * the signals of their work. They start again once that work has ended.
 */
export const onOneNode = (
  pollers: readonly Poller[],
  log: Log,
  { name, node, onChange, onError, retryMs = RETRY_MS }: OneNodeOptions,
): Poller => {
  let claim: Claim | undefined;
  let stopping: Promise<unknown> = Promise.resolve();

  const stopPollers = () => (stopping = Promise.all(pollers.map((poller) => poller.stop())));

  const lose = (lost: Claim) => {
    if (claim !== lost) return;
    claim = undefined;
    void stopPollers();
    onChange?.(false);
  };

  const tryToHold = async (signal: AbortSignal) => {
    if (claim) return;
    await stopping;
    const won = await log.claim(name, TTL_MS, node);
    if (!won) return;
    // The server was stopped, or the lease has ended, before this line.
    if (signal.aborted || won.lost.aborted) return won[Symbol.asyncDispose]();
    claim = won;
    won.lost.addEventListener("abort", () => lose(won));
    for (const poller of pollers) poller.start();
    onChange?.(true);
  };

  const trying = repeat(retryMs, tryToHold, {
    firstMs: 0,
    onError: exceptUnavailable(onError),
  });
  return {
    ...trying,
    async stop() {
      await trying.stop();
      const held = claim;
      claim = undefined;
      await stopPollers();
      // Only now: until then, the work may still run here.
      await held?.[Symbol.asyncDispose]();
    },
  };
};
