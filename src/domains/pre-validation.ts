import type { Clock } from "../lib/time.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import type { Checks } from "./checks.ts";
import type { Delegation } from "../dns-checks/delegation.ts";
import type { Checkable } from "./read-repository.ts";
import type { Domains } from "./repository.ts";
import { isWaiting } from "./stage.ts";

interface PreValidationOptions {
  domains: Pick<Domains, "find">;
  delegation: Delegation;
  /** Adds names that need a certificate. Known names keep what they have. */
  want(hostnames: readonly string[], now: number): Promise<void>;
  clock: Clock;
  onError(error: unknown): void;
}

/**
 * Checks that also order the certificate of a domain that waits for its records, if its challenge is delegated to its own
 * project. So the certificate exists before the traffic moves. As any other domain, it is served once its records are right.
 */
export const preValidating = (
  checks: Checks,
  { domains, delegation, want, clock, onError }: PreValidationOptions,
): Checks => {
  const prepare = async ({ domain: { projectId, hostname }, project }: Checkable) => {
    const domain = await domains.find(projectId, hostname);
    if (!domain || !isWaiting(domain.stage) || !hasCustomDomains(project)) return;
    if (await delegation.isDelegated(hostname, project.targetLabel)) await want([hostname], clock.now());
  };
  return {
    ...checks,
    async run(checkable, actor, signal) {
      const outcome = await checks.run(checkable, actor, signal);
      if (!signal?.aborted) await prepare(checkable).catch(onError);
      return outcome;
    },
  };
};
