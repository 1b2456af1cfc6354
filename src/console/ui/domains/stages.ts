import type { Domain, Stage } from "./model.ts";

const WAITING: ReadonlySet<Stage> = new Set(["awaiting_dns", "dns_conflict"]);

/** True while the domain waits for its records. */
export const isWaiting = ({ stage }: Pick<Domain, "stage">): boolean => WAITING.has(stage);

const SECOND_MS = 1000;
const QUICK_MS = 2 * SECOND_MS;
const STEADY_MS = 5 * SECOND_MS;
const SLOW_MS = 15 * SECOND_MS;

const DELAY_MS: Record<Stage, number> = {
  awaiting_dns: STEADY_MS,
  dns_conflict: STEADY_MS,
  verified: QUICK_MS,
  issuing: QUICK_MS,
  issue_failed: STEADY_MS,
  live: SLOW_MS,
  suspended: SLOW_MS,
};

/** Milliseconds until a domain is fetched again: short while work is in progress. */
export const refetchDelay = (domain: Pick<Domain, "stage" | "nextCheckAt"> | undefined): number => {
  if (!domain) return STEADY_MS;
  // After 48 hours, nothing happens without a request.
  return isWaiting(domain) && !domain.nextCheckAt ? SLOW_MS : DELAY_MS[domain.stage];
};

/** The same for a list: the shortest delay of its domains, within limits. */
export const listRefetchDelay = (domains: readonly Pick<Domain, "stage" | "nextCheckAt">[]): number =>
  Math.max(STEADY_MS, Math.min(SLOW_MS, ...domains.map(refetchDelay)));
