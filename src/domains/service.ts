import { Fault } from "../lib/errors.ts";
import type { Clock } from "../lib/time.ts";
import type { Actor } from "../lib/actor.ts";
import { type Hostname, hostnameOf, pairOf } from "../lib/hostname.ts";
import type { ReservedNames } from "../dns-checks/own-names.ts";
import { acceptableDomain, acceptablePair } from "../dns-checks/refused-name.ts";
import { type ReadOptions, domainReads, nameOf, notFound } from "./reads.ts";
import type { Domain } from "./domain.ts";
import { noPrimary, rowAdditions } from "./row-additions.ts";
import { nextWaitingCheck } from "./schedule.ts";
import { type VerificationOptions, assertPlan, verification } from "./verification.ts";
import type { ListedDomain, Project } from "./views.ts";

/** A domain that was added, or that the project had before. */
interface AdditionResult {
  domain: ListedDomain;
  /** The name with or without `www`, if the project has it now. */
  pair?: ListedDomain;
  /** True if at least one of them was added. */
  isNew: boolean;
}

interface AdditionOptions {
  actor: Actor;
  most?: number;
  isRedirect?: boolean;
  view?: (domain: Domain, project: Project) => Promise<ListedDomain>;
}

export interface DomainServiceOptions extends ReadOptions, VerificationOptions {
  reservedNames: ReservedNames;
  /** Called when a host name stops being served. */
  onRemoved?: (hostname: string) => void;
  clock: Clock;
}

/** Domains that a project can have. */
export const MAX_DOMAINS = 100;
/** @throws Fault why the repository did not add a name */
const throwRefusal = (project: Project): never => {
  assertPlan(project);
  if (project.activeDeployId === null) throw new Fault("no_successful_deploy");
  throw new Fault("domain_limit_reached", `A project can have at most ${MAX_DOMAINS} domains.`);
};

export const domainService = (options: DomainServiceOptions) => {
  const { domains, projects, reservedNames, clock, onRemoved } = options;
  const { listed, shown, find, get, list, listAll, history } = domainReads(options);

  /** @throws Fault invalid_request */
  const acceptable = (typed: string): Hostname =>
    acceptableDomain(typed, reservedNames, options.challengeTargetOf !== undefined);

  const addName = async (
    project: Project,
    hostname: string,
    { actor, most = MAX_DOMAINS, isRedirect = false, view = shown }: AdditionOptions,
  ) => {
    const now = clock.now();
    const nextCheckAt = nextWaitingCheck(now, now);
    const added = await domains.add(
      { projectId: project.id, hostname, nextCheckAt, most, isRedirect },
      { actor, now },
    );
    const domain = added ?? (await domains.find(project.id, hostname));
    if (!domain) return throwRefusal(await projects.get(project.slug));
    return { domain: await view(domain, project), isNew: added !== undefined };
  };

  /** @throws Fault not_found; invalid_request for a wildcard */
  const makePrimary = async (slug: string, typed: string, actor: Actor): Promise<ListedDomain> => {
    const { project, domain } = await find(slug, typed);
    if (hostnameOf(domain.hostname).isWildcard) throw noPrimary();
    const roles = { [domain.hostname]: "primary" } as const;
    if (!(await domains.assign(project.id, roles, "keep", { actor, now: clock.now() }))) throw notFound();
    return get(slug, typed);
  };

  return {
    get,
    list,
    listAll,
    history,
    verify: verification(options, { find, get }),
    /**
     * Adds a host name as it was typed, on request with its pair, which redirects to the primary domain. A name that the
     * project already has is left unchanged.
     * @throws Fault not_found, invalid_request, plan_required, no_successful_deploy, domain_limit_reached
     */
    async add(
      slug: string,
      { hostname: typed, pair: hasPair = false }: { hostname: string; pair?: boolean | undefined },
      actor: Actor,
    ): Promise<AdditionResult> {
      const project = await projects.get(slug);
      const hostname = acceptable(typed);
      const other = hasPair ? acceptablePair(hostname, reservedNames) : pairOf(hostname);
      const present = other === undefined ? undefined : await domains.find(project.id, other);
      const pair = present && (await listed(present, project));
      if (other === undefined || !hasPair || pair)
        return { ...(await addName(project, hostname.ascii, { actor })), ...(pair && { pair }) };
      const first = await addName(project, hostname.ascii, { actor, most: MAX_DOMAINS - 1 });
      const second = await addName(project, other, { actor, isRedirect: true });
      return { domain: first.domain, pair: second.domain, isNew: first.isNew || second.isNew };
    },
    addRows: rowAdditions({
      projects,
      acceptable,
      addName: (project, hostname, row) => addName(project, hostname, { ...row, view: listed }),
      makePrimary,
    }),
    /** Makes it the domain that the others redirect to. */
    makePrimary,
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
