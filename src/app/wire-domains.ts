import type { Config } from "../config/config.ts";
import type { Database } from "../db/open.ts";
import { lazy } from "../lib/lazy.ts";
import { domainChecks } from "../domains/checks.ts";
import { certificateRepository } from "../certificates/repository.ts";
import { configuredInspector } from "../domains/configured.ts";
import type { DnsClientOptions } from "../protocols/dns/client.ts";
import type { Inspect } from "../domains/inspect.ts";
import { type DomainScheduler, domainScheduler } from "../domains/scheduler.ts";
import { certificateEffects, domainRepository } from "../domains/repository.ts";
import { type DomainService, domainService } from "../domains/service.ts";
import { domainSettings } from "../domains/settings.ts";
import { rateLimiter } from "../lib/rate-limiter.ts";
import type { RandomBytes } from "../keys/secret.ts";
import { cnameTargetIn } from "../projects/addresses.ts";
import { projectRepository } from "../projects/repository.ts";
import { projectService } from "../projects/service.ts";
import { type Clock, systemClock } from "../lib/time.ts";

const random: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** The projects of a database, their domains, and who checks these. */
export const wireDomains = (
  config: Config,
  database: Database,
  {
    clock = systemClock,
    dns,
    inspect = configuredInspector(config, { clock, random }, dns),
    removed = () => {},
    failed = () => {},
  }: {
    clock?: Clock;
    /** How patient the DNS client is. */
    dns?: DnsClientOptions | undefined;
    /** Takes the place of the DNS. */
    inspect?: Inspect;
    /** Told of a host name that is served no longer. */
    removed?: (hostname: string) => void;
    failed?: (error: unknown) => void;
  } = {},
) => {
  const stored = lazy(() => domainRepository(database));
  const ownHosts = [
    ...config.apiHosts,
    ...[config.baseUrl, config.stagingBaseUrl].flatMap((url) => (url ? [new URL(url).hostname] : [])),
  ];
  const projects = projectService({
    projects: lazy(() =>
      projectRepository(database, {
        afterChange: stored.planEffects,
        beforeRemove: (projectId) => stored.removalEffects(projectId, config.platformDomain),
      }),
    ),
    isOwn: (slug) =>
      [...ownHosts, config.platformCnameTarget].some((name) =>
        `.${name}`.endsWith(`.${slug}.${config.platformDomain}`),
      ),
    clock,
    random,
  });
  const targetOf = cnameTargetIn(config.platformCnameTarget);
  const isSecured = config.httpsPort !== undefined;
  const checks = domainChecks({
    domains: stored,
    inspect,
    clock,
    random: Math.random,
    targetOf,
    isSecured,
  });
  const certificates = lazy(() => certificateRepository(database, certificateEffects(database)));
  const domains: DomainService = domainService({
    domains: stored,
    projects,
    checks,
    own: {
      zones: [config.platformDomain, config.platformCnameTarget],
      hosts: ownHosts,
    },
    certificates: isSecured ? certificates : undefined,
    removed,
    verifications: rateLimiter("verify", "verifications of this domain"),
    clock,
    targetOf,
  });
  const settings = domainSettings({ domains: stored, projects, clock });
  const keeper: DomainScheduler = domainScheduler({ domains: stored, checks, clock, failed });
  return { projects, domains, settings, keeper };
};
