import { certificateSummaries } from "../certificates/summary.ts";
import type { Config } from "../config/config.ts";
import { domainChecks, domainScheduler } from "../domains/checks.ts";
import type { Inspect } from "../domains/inspect.ts";
import { ownNames } from "../domains/own-names.ts";
import { domainService } from "../domains/service.ts";
import { domainRoles } from "../domains/roles.ts";
import { rateLimiter } from "../lib/rate-limiter.ts";
import { cnameTargetIn } from "../projects/addresses.ts";
import { projectService } from "../projects/service.ts";
import type { Repositories } from "./repositories.ts";
import type { Runtime } from "./runtime.ts";

/** Projects, their domains, and the scheduler that checks the domains. */
export const domainServices = (
  config: Config,
  repositories: Pick<Repositories, "certificates" | "domains" | "projects">,
  { clock, randomBytes, randomFraction }: Pick<Runtime, "clock" | "randomBytes" | "randomFraction">,
  {
    inspect,
    onRemoved,
    onError,
  }: {
    inspect: Inspect;
    /** Called when a host name stops being served. */
    onRemoved: (hostname: string) => void;
    /** Called when a domain could not be checked. */
    onError: (error: unknown) => void;
  },
) => {
  const own = ownNames(config);
  const targetOf = cnameTargetIn(config.platformCnameTarget);
  const isSecured = config.httpsPort !== undefined;
  const projects = projectService({
    projects: repositories.projects,
    isOwn: own.isOwnSlug,
    clock,
    randomBytes,
  });
  const checks = domainChecks({
    domains: repositories.domains,
    inspect,
    clock,
    randomFraction,
    targetOf,
    isSecured,
  });
  const domains = domainService({
    domains: repositories.domains,
    projects,
    checks,
    reservedNames: own.reserved,
    certificates: isSecured ? certificateSummaries(repositories.certificates, clock) : undefined,
    onRemoved,
    verifications: rateLimiter("verify", "verifications of this domain"),
    clock,
    targetOf,
  });
  return {
    projects,
    domains,
    domainSettings: domainRoles({ domains: repositories.domains, projects, clock }),
    domainScheduler: domainScheduler({ domains: repositories.domains, checks, clock, onError }),
  };
};
