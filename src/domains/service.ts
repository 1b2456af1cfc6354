import type { DomainRow } from "../lib/domain-list.ts";
import { Fault, statusOf } from "../lib/errors.ts";
import type { Clock } from "../lib/time.ts";
import type { Actor } from "../lib/actor.ts";
import { hostnameOf, pairOf } from "../lib/hostname.ts";
import { type ReservedNames, acceptableDomain, acceptablePair } from "../dns-checks/names.ts";
import { type ReadOptions, domainReads, nameOf, notFound } from "./reads.ts";
import type { Domain } from "./domain.ts";
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
  /** The name that is added next, for which there must be room too. */
  pair?: string;
  isRedirect?: boolean;
  view?: (domain: Domain, project: Project) => Promise<ListedDomain>;
}

type Addition = Pick<AdditionResult, "domain" | "isNew">;

/** The result for a row of a list, with the row's own host name. */
export type RowResult = Pick<DomainRow, "hostname" | "project"> & (Addition | { fault: Fault });

/** Adds the domain of a row. @throws Fault why the row is refused */
type AddRow = (row: DomainRow, slug: string | undefined, actor: Actor) => Promise<Addition>;

/** A primary domain is added before the domains that redirect to it. */
const ADDED_FIRST = ["primary", "served", "redirect"];
const placeOf = ({ role = "served" }: DomainRow): number => ADDED_FIRST.indexOf(role);

const invalid = (message: string) => new Fault("invalid_request", message);

const noPrimary = () =>
  invalid("A wildcard cannot be the primary domain: no visitor can be redirected to it.");

/** A failure of the service ends the work, which can be repeated. @throws anything but a refusal of a domain */
export const refusalOf = (error: unknown): { fault: Fault } => {
  if (!(error instanceof Fault) || statusOf(error.code) >= 500) throw error;
  return { fault: error };
};

/**
 * Adds the domain of each row in its own atomic step, and returns the results in the order of the rows. A domain that its
 * project already has is left unchanged.
 */
const rowAdditions =
  (addRow: AddRow) =>
  /** @param fallback the project of rows without one */
  async (rows: readonly DomainRow[], fallback: string | undefined, actor: Actor): Promise<RowResult[]> => {
    const results: RowResult[] = [];
    for (const [at, row] of [...rows.entries()].toSorted(([, a], [, b]) => placeOf(a) - placeOf(b))) {
      const { hostname, project = fallback } = row;
      results[at] = { hostname, project, ...(await addRow(row, project, actor).catch(refusalOf)) };
    }
    return results;
  };

export interface DomainServiceOptions extends ReadOptions, VerificationOptions {
  reservedNames: ReservedNames;
  /** Called when a host name stops being served. */
  onRemoved?: (hostname: string) => void;
  clock: Clock;
}

/** Domains that a project can have. */
export const MAX_DOMAINS = 100;

/** @throws Fault why the repository did not add a name */
const throwRefusal = async (
  { domains, projects }: DomainServiceOptions,
  slug: string,
  hostname: string,
  pair: string | undefined,
): Promise<never> => {
  const project = await projects.get(slug);
  assertPlan(project);
  if (project.activeDeployId === null) throw new Fault("no_successful_deploy");
  const { length } = await domains.list({ projectId: project.id, after: 0, limit: MAX_DOMAINS });
  const isRoomForOne = pair !== undefined && length < MAX_DOMAINS;
  const advice = isRoomForOne ? ` There is room for one more. Add ${hostname} without ${pair}.` : "";
  throw new Fault("domain_limit_reached", `A project can have at most ${MAX_DOMAINS} domains.${advice}`);
};

export const domainService = (options: DomainServiceOptions) => {
  const { domains, projects, reservedNames, clock, onRemoved } = options;
  const { listed, shown, find, ...reads } = domainReads(options);
  const { get } = reads;

  const hasWildcards = options.challengeTargetOf !== undefined;

  const addName = async (
    project: Project,
    hostname: string,
    { actor, pair, isRedirect = false, view = shown }: AdditionOptions,
  ) => {
    const now = clock.now();
    const nextCheckAt = nextWaitingCheck(now, now);
    const most = pair === undefined ? MAX_DOMAINS : MAX_DOMAINS - 1;
    const row = { projectId: project.id, hostname, nextCheckAt, most, isRedirect };
    const added = await domains.add(row, { actor, now });
    const domain = added ?? (await domains.find(project.id, hostname));
    if (!domain) return throwRefusal(options, project.slug, hostname, pair);
    return { domain: await view(domain, project), isNew: added !== undefined };
  };

  /** @throws Fault not_found; invalid_request for a wildcard */
  const makePrimary = async (slug: string, typed: string, actor: Actor): Promise<ListedDomain> => {
    const { project, domain } = await find(slug, typed);
    if (hostnameOf(domain.hostname).isWildcard) throw noPrimary();
    const roles = { [domain.hostname]: "primary" } as const;
    if (!(await domains.assign(project.id, roles, "keep", { actor, now: clock.now() })))
      throw notFound(domain.hostname);
    return get(slug, typed);
  };

  const addRow: AddRow = async (row, slug, actor) => {
    if (slug === undefined) throw invalid("project: is missing");
    if (placeOf(row) === -1) throw invalid("role: must be primary, served or redirect");
    const { hostname: typed, role } = row;
    const project = await projects.get(slug);
    const { ascii, isWildcard } = acceptableDomain(typed, reservedNames, hasWildcards);
    if (role === "primary" && isWildcard) throw noPrimary();
    const added = await addName(project, ascii, { actor, isRedirect: role === "redirect", view: listed });
    if (!added.isNew || role !== "primary") return added;
    return { domain: await makePrimary(slug, ascii, actor), isNew: true };
  };

  return {
    ...reads,
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
      const hostname = acceptableDomain(typed, reservedNames, hasWildcards);
      const other = hasPair ? acceptablePair(hostname, reservedNames) : pairOf(hostname);
      const present = other === undefined ? undefined : await domains.find(project.id, other);
      const pair = present && (await listed(present, project));
      if (other === undefined || !hasPair || pair)
        return { ...(await addName(project, hostname.ascii, { actor })), ...(pair && { pair }) };
      const first = await addName(project, hostname.ascii, { actor, pair: other });
      const second = await addName(project, other, { actor, isRedirect: true });
      return { domain: first.domain, pair: second.domain, isNew: first.isNew || second.isNew };
    },
    addRows: rowAdditions(addRow),
    /** Makes it the domain that the others redirect to. */
    makePrimary,
    /** Removes the domain, which is not served from the next request on. @throws Fault not_found */
    async remove(slug: string, typed: string, actor: Actor): Promise<void> {
      const { id } = await projects.get(slug);
      const hostname = nameOf(typed);
      if (!(await domains.remove(id, hostname, { actor, now: clock.now() }))) throw notFound(hostname);
      onRemoved?.(hostname);
    },
  };
};

export type DomainService = ReturnType<typeof domainService>;
