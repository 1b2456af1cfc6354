import type { Clock } from "../time.ts";
import type { Checks } from "./checks.ts";
import { SERVICE, mayHaveDomains } from "./domain.ts";
import type { Checkable, Domains } from "./repository.ts";

export interface Keeper {
  /** Checks from now on what is due. */
  start(): void;
  /** Begins as many of the checks that are due as may begin in a second. Never fails. */
  tick(): Promise<void>;
  /** Begins no more, and writes down nothing more; what is being written has been when it answers. */
  stop(): Promise<void>;
}

export interface KeeperSettings {
  domains: Pick<Domains, "due" | "rest">;
  checks: Checks;
  clock: Clock;
  /** Told of a check that could not be made or written down. */
  failed: (error: unknown) => void;
}

const TICK_MS = 1000;
/** Checks that begin in a second: 10,000 domains that wait are 11 a second, of 25 questions each. */
export const MOST_A_TICK = 20;
/** Checks at once: a silent server costs seconds, and must not hold up the others. */
export const MOST_AT_ONCE = 64;
/** How long stopping waits for checks that are asking: what they find is not written down any more. */
const PATIENCE_MS = 1000;

/** Checks domains when their time has come, also of those whose time came while the service was down. */
export const domainKeeper = ({ domains, checks, clock, failed }: KeeperSettings): Keeper => {
  const running = new Map<number, Promise<void>>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let beginning: Promise<void> | undefined;
  let isStopped = false;

  const check = async (checkable: Checkable) => {
    try {
      if (mayHaveDomains(checkable.project)) await checks.run(checkable, SERVICE);
      else await domains.rest(checkable.domain);
    } catch (error) {
      failed(error);
    }
  };

  const begin = async () => {
    const free = Math.min(MOST_A_TICK, MOST_AT_ONCE - running.size);
    if (free <= 0) return;
    // Those that are being checked are due until it is written down.
    const due = await domains.due(clock.now(), free + running.size);
    for (const checkable of due.filter(({ domain }) => !running.has(domain.id)).slice(0, free)) {
      const { id } = checkable.domain;
      running.set(
        id,
        check(checkable).finally(() => running.delete(id)),
      );
    }
  };

  const tick = async () => {
    if (isStopped) return;
    try {
      await begin();
    } catch (error) {
      failed(error);
    }
  };

  return {
    tick,
    start() {
      timer = setInterval(() => (beginning = tick()), TICK_MS);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      checks.abandon();
      await beginning;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const patience = setTimeout(resolve, PATIENCE_MS);
      await Promise.race([Promise.all(running.values()), late]);
      clearTimeout(patience);
    },
  };
};
