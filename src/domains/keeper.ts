import type { Clock } from "../time.ts";
import type { Checks } from "./checks.ts";
import { SERVICE, mayHaveDomains } from "./domain.ts";
import type { Checkable, Domains } from "./repository.ts";

export interface Keeper {
  /** Checks from now on what is due. */
  start(): void;
  /** Begins as many of the checks that are due as may begin in a second; answers when those have ended. Never fails. */
  tick(): Promise<void>;
  /** Begins no more, and writes down nothing more: whatever the DNS has yet to answer is asked again after the next start. */
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
/** Checks at once: a silent server costs seconds, and must hold up neither the others nor those that are asked for. */
export const MOST_AT_ONCE = 32;
/** How long a domain rests whose check failed on our side, such as by a full disk: nobody is asked every second for that. */
const REST_MS = 60_000;
/** How long stopping waits for checks that are asking: what they find is not written down any more. */
const PATIENCE_MS = 1000;

/** Checks domains when their time has come, also of those whose time came while the service was down. */
export const domainKeeper = ({ domains, checks, clock, failed }: KeeperSettings): Keeper => {
  const running = new Map<number, Promise<void>>();
  /** Until when a domain rests; at most those that began in `REST_MS`. */
  const resting = new Map<number, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isStopped = false;

  const check = async (checkable: Checkable) => {
    try {
      if (mayHaveDomains(checkable.project)) await checks.run(checkable, SERVICE);
      else await domains.rest(checkable.domain);
    } catch (error) {
      resting.set(checkable.domain.id, clock.now() + REST_MS);
      failed(error);
    }
  };

  const begin = (checkable: Checkable): Promise<void> => {
    const { id } = checkable.domain;
    const ended = check(checkable).finally(() => running.delete(id));
    running.set(id, ended);
    return ended;
  };

  const beginDue = async (): Promise<Promise<void>[]> => {
    const free = Math.min(MOST_A_TICK, MOST_AT_ONCE - running.size);
    if (free <= 0) return [];
    const now = clock.now();
    for (const [id, until] of resting) if (until <= now) resting.delete(id);
    // Those that are being checked, or were in vain, are due until it is written down.
    const due = await domains.due(now, free + running.size + resting.size);
    if (isStopped) return [];
    const next = due.filter(({ domain: { id } }) => !running.has(id) && !resting.has(id));
    return next.slice(0, free).map(begin);
  };

  const tick = async () => {
    if (isStopped) return;
    try {
      await Promise.all(await beginDue());
    } catch (error) {
      failed(error);
    }
  };

  return {
    tick,
    start() {
      timer = setInterval(tick, TICK_MS);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      checks.abandon();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const patience = setTimeout(resolve, PATIENCE_MS);
      await Promise.race([Promise.all(running.values()), late]);
      clearTimeout(patience);
    },
  };
};
