import { certificateSummaries } from "../platform/certificates/summary.ts";
import type { Config } from "../config/config.ts";
import type { Inspect } from "../platform/dns-checks/inspect.ts";
import { ownNames } from "../platform/dns-checks/names.ts";
import { watchQueries } from "../platform/dns-checks/trace.ts";
import type { AddressesOf } from "../platform/dns-checks/dns-access.ts";
import type { OfferConnect } from "../platform/dns-records/provider-guide.ts";
import { domainChecks, domainScheduler } from "../platform/domains/checks.ts";
import { recordWatch } from "../platform/domains/record-watch.ts";
import { domainRoles } from "../platform/domains/roles.ts";
import { domainService } from "../platform/domains/service.ts";
import { rateLimiter } from "../lib/rate-limiter.ts";
import type { Clock } from "../lib/time.ts";
import {
  KEYED_LIMITS,
  PUBLIC_LIMITS,
  nameCheckService,
  nameChecker,
  parseCheckable,
} from "../platform/dns-checks/name-checks/name-check.ts";
import { projectService } from "../platform/projects/service.ts";
import type { DnsAccess } from "../protocols/dns/authoritative.ts";
import { queueOf } from "./certificates.ts";
import type { Repositories } from "./repositories.ts";
import { challengeTargetOf } from "./challenges.ts";
import type { Context } from "../data/context.ts";

type NameConfig = Parameters<typeof ownNames>[0];

/**
 * Checks of names before they are added: for clients with a key, and for the public if PUBLIC_DOMAIN_CHECK is set.
 * @param inspectPublic has separate queues: queries from anonymous clients must not delay verifications
 */
export const nameCheckServices = (
  config: Config,
  inspect: Inspect,
  inspectPublic: () => Inspect,
  { clock, offerConnect }: { clock: Clock; offerConnect: OfferConnect | undefined },
) => {
  const targetZone = config.platformCnameTarget;
  const common = { reservedNames: ownNames(config).reserved, clock };
  return {
    nameChecks: nameCheckService({
      ...common,
      check: nameChecker(inspect, targetZone, offerConnect),
      limits: KEYED_LIMITS,
      isUrgent: true,
    }),
    publicNameChecks: config.publicDomainCheck
      ? nameCheckService({
          ...common,
          check: nameChecker(inspectPublic(), targetZone),
          limits: PUBLIC_LIMITS,
          isUrgent: false,
          targetZone,
        })
      : undefined,
  };
};

/** The same for one command, which needs no limits. */
export const commandNameCheck = (config: NameConfig, inspect: Inspect) => {
  const check = nameChecker(inspect, config.platformCnameTarget);
  const { reserved } = ownNames(config);
  return (typed: Parameters<typeof parseCheckable>[0]) => check(parseCheckable(typed, reserved), () => true);
};

/** Projects, their domains, and the scheduler that checks the domains. */
export const domainServices = (
  context: Context,
  repositories: Repositories,
  {
    inspect,
    addressesOf,
    dns,
    offerConnect,
    onRemoved,
    nodes,
  }: {
    inspect: Inspect;
    addressesOf: AddressesOf;
    dns: DnsAccess;
    /** Undefined without Domain Connect. */
    offerConnect: OfferConnect | undefined;
    /** Called when a host name stops being served. */
    onRemoved: (hostname: string) => void;
    /** How many nodes share the limits. */
    nodes?: (() => number) | undefined;
  },
) => {
  const { config, clock } = context;
  const isSecured = config.httpsPort !== undefined;
  const projects = projectService(context, repositories.projects, ownNames(config).isOwnSlug);
  const checks = domainChecks(context, repositories.domains, inspect, (hostname) =>
    repositories.certificates.request(hostname, clock.now()),
  );
  const domains = domainService(context, {
    domains: repositories.domains,
    projects,
    checks,
    certificates: isSecured
      ? certificateSummaries(
          repositories.certificates,
          queueOf(config, repositories.certificates, clock),
          clock,
        )
      : undefined,
    onRemoved,
    verifications: rateLimiter("verify", "verifications of this domain", nodes),
    addressesOf,
    challengeTargetOf: challengeTargetOf(config),
    offerConnect,
  });
  return {
    projects,
    domains,
    domainSettings: domainRoles(context, repositories.domains, projects),
    domainScheduler: domainScheduler(context, repositories.domains, checks),
    recordWatch: recordWatch(context, {
      domains: repositories.domains,
      checks,
      ...watchQueries(dns),
    }),
  };
};
