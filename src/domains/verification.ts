import { PATIENCE_MS, within } from "../dns-checks/dns-access.ts";
import type { Actor } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import type { RateLimiter } from "../lib/rate-limiter.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import type { CheckOutcome, Checks } from "./checks.ts";
import type { Checkable } from "./read-repository.ts";
import type { DomainReads, ReadOptions } from "./reads.ts";
import { awaitsCertificate } from "./stage.ts";
import type { InspectedDomain, Project } from "./views.ts";

/** Checks of one domain that clients may request. */
export const VERIFICATIONS = { requests: 10, seconds: 60 } as const;
/** Checks for one request: while a domain is checked, its certificate can be ordered and installed. */
const MAX_TRIES = 3;
/** What a client can do if a check takes too long. */
const LATER = "The check continues: fetch the domain later to see its result.";

export interface VerificationOptions extends Pick<ReadOptions, "certificates"> {
  checks: Checks;
  /** Limits the checks of one domain that clients request. */
  verifications: RateLimiter;
  /** How long a client waits for a check, in milliseconds. */
  patienceMs?: number;
}

/** @throws Fault plan_required */
export const assertPlan = (project: Project) => {
  if (!hasCustomDomains(project)) throw new Fault("plan_required");
};

/**
 * Asks the DNS now. Concurrent requests share the check.
 * @throws Fault not_found, plan_required, rate_limited; domain_taken if the DNS also names the project that holds the
 * name; not_ready if the name servers take too long: the check continues, and its result is stored
 */
export const verification = (
  { checks, certificates, verifications, patienceMs = PATIENCE_MS }: VerificationOptions,
  { find, get }: Pick<DomainReads, "find" | "get">,
) => {
  /** Checks a domain again if its stage changed meanwhile, until this or another process has stored a result. */
  const check = async (slug: string, { project, domain }: Checkable, actor: Actor): Promise<CheckOutcome> => {
    let current = domain;
    for (let tries = 1; ; tries++) {
      const outcome = await checks.run({ project, domain: current }, actor);
      if (outcome !== "overtaken" || tries === MAX_TRIES) return outcome;
      current = (await find(slug, domain.hostname)).domain;
      if (current.id !== domain.id || current.checkedAt !== domain.checkedAt) return outcome;
    }
  };

  return async (slug: string, typed: string, actor: Actor): Promise<InspectedDomain> => {
    const checkable = await find(slug, typed);
    const { project, domain } = checkable;
    assertPlan(project);
    // By name: a domain that is removed and added again has another id.
    await verifications.take(`${project.id} ${domain.hostname}`, VERIFICATIONS);
    const outcome = await within(patienceMs, check(slug, checkable, actor), LATER);
    if (outcome === "taken") throw new Fault("domain_taken");
    const checked = await get(slug, typed);
    const isRequested =
      awaitsCertificate(checked.stage) && ((await certificates?.request(checked.hostname)) ?? false);
    return isRequested ? get(slug, typed) : checked;
  };
};
