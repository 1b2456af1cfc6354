import { certificateSummaries } from "../certificates/summary.ts";
import type { Config } from "../config/config.ts";
import type { OfferConnect } from "../dns-records/connect-offer.ts";
import type { DnsAccess } from "../protocols/dns/authoritative.ts";
import { queueOf } from "./certificates.ts";
import { challengeTargetOf } from "./challenges.ts";
import { domainChecks, domainScheduler } from "../domains/checks.ts";
import { recordWatch } from "../domains/record-watch.ts";
import { challengeProbe, queryRepeater, recordProbe } from "../dns-checks/record-probe.ts";
import type { Inspect } from "../dns-checks/inspect.ts";
import type { AddressesOf } from "../dns-checks/target-addresses.ts";
import { ownNames } from "../dns-checks/own-names.ts";
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
    addressesOf,
    dns,
    offerConnect,
    onRemoved,
    onError,
    nodes,
  }: {
    inspect: Inspect;
    addressesOf: AddressesOf;
    dns: DnsAccess;
    /** Undefined without Domain Connect. */
    offerConnect: OfferConnect | undefined;
    /** Called when a host name stops being served. */
    onRemoved: (hostname: string) => void;
    /** Called when a domain could not be checked. */
    onError: (error: unknown) => void;
    /** How many nodes share the limits. */
    nodes?: (() => number) | undefined;
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
    onReady: (hostname) => repositories.certificates.request(hostname, clock.now()),
    isSecured,
  });
  const domains = domainService({
    domains: repositories.domains,
    projects,
    checks,
    reservedNames: own.reserved,
    certificates: isSecured
      ? certificateSummaries(
          repositories.certificates,
          queueOf(config, repositories.certificates, clock),
          clock,
        )
      : undefined,
    onRemoved,
    verifications: rateLimiter("verify", "verifications of this domain", nodes),
    clock,
    targetOf,
    addressesOf,
    challengeTargetOf: challengeTargetOf(config),
    offerConnect,
  });
  const scheduled = { domains: repositories.domains, checks, clock, targetOf, onError };
  return {
    projects,
    domains,
    domainSettings: domainRoles({ domains: repositories.domains, projects, clock }),
    domainScheduler: domainScheduler(scheduled),
    recordWatch: recordWatch({
      ...scheduled,
      probe: recordProbe(dns),
      probeChallenge: challengeProbe(dns),
      repeatQuery: queryRepeater(dns),
    }),
  };
};
