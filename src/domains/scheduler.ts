import type { Clock } from "../lib/time.ts";
import type { Checks } from "./checks.ts";
import { SERVICE, mayHaveDomains } from "./domain.ts";
import type { Domains } from "./repository.ts";
import { type Rounds, rounds } from "../lib/poller.ts";

export type Keeper = Rounds;

export interface KeeperSettings {
  domains: Pick<Domains, "due" | "rest">;
  checks: Checks;
  clock: Clock;
  /** Told of a check that could not be made or written down. */
  failed: (error: unknown) => void;
}

/** Checks that begin in a second: 10,000 domains that wait are 11 a second, of 25 questions each. */
export const MOST_A_TICK = 20;
/** Checks at once: a silent server costs seconds, and must hold up neither the others nor those that are asked for. */
export const MOST_AT_ONCE = 32;

/** Checks domains when their time has come. What is found after `stop` is not written down: it is asked again after the next start. */
export const domainKeeper = ({ domains, checks, clock, failed }: KeeperSettings): Keeper => {
  const kept = rounds({
    due: domains.due,
    idOf: ({ domain }) => domain.id,
    deal: (checkable) =>
      mayHaveDomains(checkable.project) ? checks.run(checkable, SERVICE) : domains.rest(checkable.domain),
    mostATick: MOST_A_TICK,
    mostAtOnce: MOST_AT_ONCE,
    clock,
    failed,
  });
  return {
    ...kept,
    stop() {
      checks.abandon();
      return kept.stop();
    },
  };
};
