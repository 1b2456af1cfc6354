import { Fault } from "../lib/errors.ts";
import type { RateLimiter } from "../lib/rate-limiter.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Clock } from "../lib/time.ts";
import type { Checks } from "./checks.ts";
import type { Actor, Domain, DomainCertificate, DomainEvent } from "./domain.ts";
import { HOSTNAME_REFUSALS, type Hostname, parseHostname } from "../lib/hostname.ts";
import { type ReservedNames, isReservedName, isSpecialUse } from "./reserved-names.ts";
import type { Report } from "./check-report.ts";
import type { Domains } from "./repository.ts";
import { nextWaitingCheck } from "./schedule.ts";
import { awaitsCertificate } from "./stage.ts";

type Project = Awaited<ReturnType<ProjectService["get"]>>;

/** A domain and what its record must point to. */
export type ListedDomain = Domain & { target: string };

/** The same with all that its last check was answered. */
export type InspectedDomain = ListedDomain & {
  trace?: Report;
  /** With HTTPS: how far its certificate is. */
  certificate?: DomainCertificate | undefined;
};

export interface DomainService {
  /**
   * Adds a host name as it was typed; one that the project has is answered as it is.
   * @throws Fault not_found, invalid_request, plan_required, no_successful_deploy, domain_limit_reached
   */
  add(slug: string, typed: string, actor: Actor): Promise<{ domain: ListedDomain; isNew: boolean }>;
  /** @throws Fault not_found */
  get(slug: string, typed: string): Promise<InspectedDomain>;
  /** @throws Fault not_found, invalid_cursor */
  list(slug: string, query: { limit: number; cursor: string | undefined }): Promise<Page<ListedDomain>>;
  /**
   * Asks the DNS now. Again is fine; those who ask at once share the answer.
   * @throws Fault not_found, plan_required, rate_limited, domain_taken if the DNS names another project too, which holds it,
   * not_ready if the name servers take too long: the check goes on, and is written down
   */
  verify(slug: string, typed: string, actor: Actor): Promise<InspectedDomain>;
  /** Makes it the one that the others redirect to. Again is fine. @throws Fault not_found */
  makePrimary(slug: string, typed: string, actor: Actor): Promise<ListedDomain>;
  /** It is served no longer from the next request on. @throws Fault not_found */
  remove(slug: string, typed: string, actor: Actor): Promise<void>;
  /** Newest first, also of a domain that was removed. @throws Fault not_found, invalid_cursor */
  history(
    slug: string,
    typed: string,
    query: { limit: number; cursor: string | undefined },
  ): Promise<Page<DomainEvent>>;
}

export interface DomainServiceSettings {
  domains: Domains;
  projects: Pick<ProjectService, "get">;
  checks: Checks;
  own: ReservedNames;
  /** Undefined: there is no HTTPS. */
  certificates?: DomainCertificates | undefined;
  /** Told of a host name that is served no longer. */
  removed?: (hostname: string) => void;
  /** Counts the checks on request of one domain. */
  verifications: RateLimiter;
  clock: Clock;
  targetOf: (label: string) => string;
  /** How long a check on request may take, in milliseconds; 20 seconds without it, before clients give up. */
  patienceMs?: number;
}

/** The certificates of domains. */
export interface DomainCertificates {
  /** Undefined if nothing is known for the name yet. */
  find(hostname: string): Promise<DomainCertificate | undefined>;
  /** Has a certificate ordered at once; false if the name is not known, or a limit makes it wait. */
  request(hostname: string): Promise<boolean>;
}

/** Domains that a project can have. */
export const MAX_DOMAINS = 100;
/** Checks of one domain on request. */
export const VERIFICATIONS = { requests: 10, seconds: 60 } as const;
/** Above every id. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const notFound = () => new Fault("not_found", "The project has no domain with this name.");

const tooSlow = () =>
  new Fault(
    "not_ready",
    "The name servers take long to answer. The check goes on: what it finds will be in the domain.",
    { "retry-after": "30" },
  );

/** What comes of some work. @throws Fault not_ready if it takes longer */
const within = async <Value>(ms: number, work: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** A name as the project's domains are known by; "", which none has, for what is no host name. */
const nameOf = (typed: string): string => {
  const parsed = parseHostname(typed);
  return parsed.ok ? parsed.hostname.ascii : "";
};

/** @throws Fault invalid_request */
const acceptable = (typed: string, own: ReservedNames): Hostname => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw new Fault("invalid_request", `hostname: ${HOSTNAME_REFUSALS[parsed.refusal]}`);
  if (isReservedName(parsed.hostname.ascii, own))
    throw new Fault("invalid_request", "hostname: is one of this service's own names, or a parent of one");
  if (isSpecialUse(parsed.hostname.ascii))
    throw new Fault("invalid_request", "hostname: is a special-use name, which nobody can hold as a domain");
  return parsed.hostname;
};

const assertPlan = (project: Project) => {
  if (!hasCustomDomains(project)) throw new Fault("plan_required");
};

/** Why the repository would not add a name. @throws Fault */
const explain = (project: Project): never => {
  assertPlan(project);
  if (project.activeDeployId === null) throw new Fault("no_successful_deploy");
  throw new Fault("domain_limit_reached", `A project can have at most ${MAX_DOMAINS} domains.`);
};

export const domainService = ({
  domains,
  projects,
  checks,
  own,
  certificates,
  removed = () => {},
  verifications,
  clock,
  targetOf,
  patienceMs = 20_000,
}: DomainServiceSettings): DomainService => {
  const listed = (domain: Domain, { targetLabel }: Project): ListedDomain => ({
    ...domain,
    target: targetOf(targetLabel),
  });

  /** @throws Fault not_found */
  const find = async (slug: string, typed: string) => {
    const project = await projects.get(slug);
    const domain = await domains.find(project.id, nameOf(typed));
    if (!domain) throw notFound();
    return { project, domain };
  };

  const get = async (slug: string, typed: string): Promise<InspectedDomain> => {
    const { project, domain } = await find(slug, typed);
    const trace = await domains.trace(domain.id);
    const holder = await domains.holder(domain.hostname);
    const isElsewhere = holder !== undefined && holder.project.id !== project.id;
    return {
      ...listed(domain, project),
      // The certificate is the holder's.
      certificate: isElsewhere ? undefined : await certificates?.find(domain.hostname),
      ...(trace !== undefined && { trace: JSON.parse(trace) as Report }),
    };
  };

  return {
    get,
    async add(slug, typed, actor) {
      const project = await projects.get(slug);
      const hostname = acceptable(typed, own).ascii;
      const now = clock.now();
      const wish = {
        projectId: project.id,
        hostname,
        nextCheckAt: nextWaitingCheck(now, now),
        most: MAX_DOMAINS,
      };
      const added = await domains.add(wish, { actor, now });
      if (added) return { domain: listed(added, project), isNew: true };
      const present = await domains.find(project.id, hostname);
      if (present) return { domain: listed(present, project), isNew: false };
      return explain(await projects.get(slug));
    },
    async list(slug, { limit, cursor }) {
      const project = await projects.get(slug);
      const list = `domains:${project.id}`;
      const after = cursor === undefined ? 0 : readCursor(cursor, list);
      const found = await domains.list({ projectId: project.id, after, limit: limit + 1 });
      return cutPage(
        found.map((domain) => listed(domain, project)),
        limit,
        list,
      );
    },
    async verify(slug, typed, actor) {
      const { project, domain } = await find(slug, typed);
      assertPlan(project);
      // By name: a domain that is removed and added again has another id.
      await verifications.take(`${project.id} ${domain.hostname}`, VERIFICATIONS);
      const outcome = await within(patienceMs, checks.run({ domain, project }, actor));
      if (outcome === "taken") throw new Fault("domain_taken");
      const checked = await get(slug, typed);
      if (awaitsCertificate(checked.stage)) await certificates?.request(checked.hostname);
      return checked;
    },
    async makePrimary(slug, typed, actor) {
      const { project, domain } = await find(slug, typed);
      const roles = { [domain.hostname]: "primary" } as const;
      if (!(await domains.assign(project.id, roles, "keep", { actor, now: clock.now() }))) throw notFound();
      return get(slug, typed);
    },
    async remove(slug, typed, actor) {
      const { id } = await projects.get(slug);
      const hostname = nameOf(typed);
      if (!(await domains.remove(id, hostname, { actor, now: clock.now() }))) throw notFound();
      removed(hostname);
    },
    async history(slug, typed, { limit, cursor }) {
      const { id: projectId } = await projects.get(slug);
      const hostname = nameOf(typed);
      const list = `history:${projectId}:${hostname}`;
      const before = cursor === undefined ? NEWEST : readCursor(cursor, list);
      const found = await domains.history({ projectId, hostname, before, limit: limit + 1 });
      if (found.length === 0 && cursor === undefined) throw notFound();
      return cutPage(found, limit, list);
    },
  };
};
