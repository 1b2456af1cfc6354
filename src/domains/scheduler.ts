import type { Clock } from "../lib/time.ts";
import type { Checks } from "./checks.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import { SERVICE } from "./domain.ts";
import type { Domains } from "./repository.ts";
import { type Poller, duePoller } from "../lib/poller.ts";

export type DomainScheduler = Poller;

export interface DomainSchedulerOptions {
  domains: Pick<Domains, "due" | "stopChecks">;
  checks: Checks;
  clock: Clock;
  /** Told of a check that could not be made or written down. */
  failed: (error: unknown) => void;
}

/** Checks that begin in a second: 10,000 domains that wait are 11 a second, of 25 questions each. */
export const MAX_PER_TICK = 20;
/** Checks at once: a silent server costs seconds, and must hold up neither the others nor those that are asked for. */
export const MAX_CONCURRENT = 32;

/** Checks domains when their time has come. What is found after `stop` is not written down: it is asked again after the next start. */
export const domainScheduler = ({
  domains,
  checks,
  clock,
  failed,
}: DomainSchedulerOptions): DomainScheduler => {
  const kept = duePoller({
    due: domains.due,
    idOf: ({ domain }) => domain.id,
    process: (checkable) =>
      hasCustomDomains(checkable.project)
        ? checks.run(checkable, SERVICE)
        : domains.stopChecks(checkable.domain),
    maxPerTick: MAX_PER_TICK,
    maxConcurrent: MAX_CONCURRENT,
    clock,
    onError: failed,
  });
  return {
    ...kept,
    stop() {
      checks.abandon();
      return kept.stop();
    },
  };
};
