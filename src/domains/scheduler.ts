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
  /** Called when a check could not be made or stored. */
  onError: (error: unknown) => void;
}

/** Checks that begin in a second. 10,000 domains that wait need 11 a second, of 25 queries each. */
export const MAX_PER_TICK = 20;
/** Checks at the same time. A silent server costs seconds, and must delay neither other checks nor those that clients ask for. */
export const MAX_CONCURRENT = 32;

/** Checks domains that are due. What a check finds after `stop` is not stored: the check is due again at the next start. */
export const domainScheduler = ({
  domains,
  checks,
  clock,
  onError,
}: DomainSchedulerOptions): DomainScheduler => {
  const checkPoller = duePoller({
    due: domains.due,
    idOf: ({ domain }) => domain.id,
    process: (checkable) =>
      hasCustomDomains(checkable.project)
        ? checks.run(checkable, SERVICE)
        : domains.stopChecks(checkable.domain),
    maxPerTick: MAX_PER_TICK,
    maxConcurrent: MAX_CONCURRENT,
    clock,
    onError,
  });
  return {
    ...checkPoller,
    stop() {
      checks.abandon();
      return checkPoller.stop();
    },
  };
};
