import { Fault } from "../lib/errors.ts";
import type { RateLimiter } from "../lib/rate-limiter.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Clock } from "../lib/time.ts";
import type { Checks } from "./checks.ts";
import type { Actor } from "../lib/actor.ts";
import type { Domain, DomainCertificate, DomainEvent } from "./domain.ts";
import { type Hostname, parseHostname } from "../lib/hostname.ts";
import { type ReservedNames, isReservedName, isSpecialUse } from "./own-names.ts";
import { refusedName } from "./refused-name.ts";
import type { Report } from "./check-report.ts";
import type { Domains } from "./repository.ts";
import { nextWaitingCheck } from "./schedule.ts";
import { awaitsCertificate } from "./stage.ts";

type Project = Awaited<ReturnType<ProjectService["get"]>>;

/** A domain and what its record must point to. */
export type ListedDomain = Domain & {
  target: string;
  /** Its certificate, if the service has HTTPS. */
  certificate?: DomainCertificate | undefined;
};

/** A listed domain with the queries of its last check. */
export type InspectedDomain = ListedDomain & { trace?: Report };

export interface DomainServiceOptions {
  domains: Domains;
  projects: Pick<ProjectService, "get">;
  checks: Checks;
  reservedNames: ReservedNames;
  /** Undefined without HTTPS. */
  certificates?: DomainCertificates | undefined;
  /** Called when a host name stops being served. */
  onRemoved?: (hostname: string) => void;
  /** Limits the checks of one domain that clients request. */
  verifications: RateLimiter;
  clock: Clock;
  targetOf: (label: string) => string;
  /** How long a client waits for a check, in milliseconds. */
  patienceMs?: number;
}

/** The certificates of domains. */
export interface DomainCertificates {
  /** Undefined if the name is unknown. */
  find(hostname: string): Promise<DomainCertificate | undefined>;
  /** Requests a certificate; false if the name is unknown or a limit makes it wait. */
  request(hostname: string): Promise<boolean>;
}

/** Domains that a project can have. */
export const MAX_DOMAINS = 100;
/** Checks of one domain that clients may request. */
export const VERIFICATIONS = { requests: 10, seconds: 60 } as const;
/** Shorter than the timeouts of HTTP clients. */
const PATIENCE_MS = 20_000;
/** Above every id. */
const NEWEST = Number.MAX_SAFE_INTEGER;

interface PageQuery {
  limit: number;
  cursor: string | undefined;
}

const notFound = () => new Fault("not_found", "The project has no domain with this name.");

const tooSlow = () =>
  new Fault(
    "not_ready",
    "The name servers respond slowly. The check continues: fetch the domain later to see its result.",
    { "retry-after": "30" },
  );

/** @throws Fault not_ready if the work takes longer */
const within = async <Value>(ms: number, work: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow()), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The A-labels of a host name; "", which no domain has, for anything else. */
const nameOf = (typed: string): string => {
  const parsed = parseHostname(typed);
  return parsed.ok ? parsed.hostname.ascii : "";
};

/** @throws Fault invalid_request */
const parseAcceptable = (typed: string, reservedNames: ReservedNames): Hostname => {
  const parsed = parseHostname(typed);
  if (!parsed.ok) throw refusedName(parsed.refusal);
  if (isReservedName(parsed.hostname.ascii, reservedNames)) throw refusedName("own_name");
  if (isSpecialUse(parsed.hostname.ascii)) throw refusedName("special_use");
  return parsed.hostname;
};

const assertPlan = (project: Project) => {
  if (!hasCustomDomains(project)) throw new Fault("plan_required");
};

/** @throws Fault why the repository did not add a name */
const throwRefusal = (project: Project): never => {
  assertPlan(project);
  if (project.activeDeployId === null) throw new Fault("no_successful_deploy");
  throw new Fault("domain_limit_reached", `A project can have at most ${MAX_DOMAINS} domains.`);
};

/** Domains as clients see them. */
const domainReading = ({ domains, projects, certificates, targetOf }: DomainServiceOptions) => {
  const listed = (
    domain: Domain,
    { targetLabel }: Project,
    certificate?: DomainCertificate,
  ): ListedDomain => ({ ...domain, target: targetOf(targetLabel), certificate });

  /** @throws Fault not_found */
  const find = async (slug: string, typed: string) => {
    const project = await projects.get(slug);
    const domain = await domains.find(project.id, nameOf(typed));
    if (!domain) throw notFound();
    return { project, domain };
  };

  const certificateOf = async ({ hostname, projectId }: Domain) => {
    const holder = await domains.holder(hostname);
    const isElsewhere = holder !== undefined && holder.project.id !== projectId;
    return isElsewhere ? undefined : certificates?.find(hostname);
  };

  return {
    listed,
    find,
    /** @throws Fault not_found */
    async get(slug: string, typed: string): Promise<InspectedDomain> {
      const { project, domain } = await find(slug, typed);
      const trace = await domains.trace(domain.id);
      return {
        ...listed(domain, project, await certificateOf(domain)),
        ...(trace !== undefined && { trace: JSON.parse(trace) as Report }),
      };
    },
    /** @throws Fault not_found, invalid_cursor */
    async list(slug: string, { limit, cursor }: PageQuery): Promise<Page<ListedDomain>> {
      const project = await projects.get(slug);
      const list = `domains:${project.id}`;
      const after = cursor === undefined ? 0 : readCursor(cursor, list);
      const found = await domains.list({ projectId: project.id, after, limit: limit + 1 });
      const { items, next } = cutPage(found, limit, list);
      const certificates = await Promise.all(items.map(certificateOf));
      return {
        items: items.map((domain, at) => listed(domain, project, certificates[at])),
        next,
      };
    },
    /** Newest first, also of a domain that was removed. @throws Fault not_found, invalid_cursor */
    async history(slug: string, typed: string, { limit, cursor }: PageQuery): Promise<Page<DomainEvent>> {
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

export const domainService = (options: DomainServiceOptions) => {
  const { domains, projects, checks, reservedNames, certificates, verifications, clock, onRemoved } = options;
  const { patienceMs = PATIENCE_MS } = options;
  const { listed, find, get, list, history } = domainReading(options);

  return {
    get,
    list,
    history,
    /**
     * Adds a host name as it was typed. A name that the project already has is returned unchanged.
     * @throws Fault not_found, invalid_request, plan_required, no_successful_deploy, domain_limit_reached
     */
    async add(slug: string, typed: string, actor: Actor): Promise<{ domain: ListedDomain; isNew: boolean }> {
      const project = await projects.get(slug);
      const hostname = parseAcceptable(typed, reservedNames).ascii;
      const now = clock.now();
      const nextCheckAt = nextWaitingCheck(now, now);
      const domain = { projectId: project.id, hostname, nextCheckAt, most: MAX_DOMAINS };
      const added = await domains.add(domain, { actor, now });
      if (added) return { domain: listed(added, project), isNew: true };
      const present = await domains.find(project.id, hostname);
      if (present) return { domain: listed(present, project), isNew: false };
      return throwRefusal(await projects.get(slug));
    },
    /**
     * Asks the DNS now. Concurrent requests share the check.
     * @throws Fault not_found, plan_required, rate_limited; domain_taken if the DNS also names the project that holds the
     * name; not_ready if the name servers take too long: the check continues, and its result is stored
     */
    async verify(slug: string, typed: string, actor: Actor): Promise<InspectedDomain> {
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
    /** Makes it the domain that the others redirect to. @throws Fault not_found */
    async makePrimary(slug: string, typed: string, actor: Actor): Promise<ListedDomain> {
      const { project, domain } = await find(slug, typed);
      const roles = { [domain.hostname]: "primary" } as const;
      if (!(await domains.assign(project.id, roles, "keep", { actor, now: clock.now() }))) throw notFound();
      return get(slug, typed);
    },
    /** Removes the domain, which is not served from the next request on. @throws Fault not_found */
    async remove(slug: string, typed: string, actor: Actor): Promise<void> {
      const { id } = await projects.get(slug);
      const hostname = nameOf(typed);
      if (!(await domains.remove(id, hostname, { actor, now: clock.now() }))) throw notFound();
      onRemoved?.(hostname);
    },
  };
};

export type DomainService = ReturnType<typeof domainService>;
