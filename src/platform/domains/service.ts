import { PATIENCE_MS, within } from "../dns-checks/dns-access.ts";
import { acceptableDomain, acceptablePair, ownNames } from "../dns-checks/names.ts";
import type { Actor } from "../../lib/actor.ts";
import type { DomainRow } from "../../lib/domain-list.ts";
import { Fault, statusOf } from "../../lib/errors.ts";
import { hostnameOf, pairOf } from "../../lib/hostname.ts";
import type { RateLimiter } from "../../lib/rate-limiter.ts";
import type { Context } from "../../data/context.ts";
import { hasCustomDomains } from "../projects/plan.ts";
import type { CheckOutcome, Checks } from "./checks.ts";
import type { Checkable } from "./read-repository.ts";
import {
  type DomainReads,
  type InspectedDomain,
  type ListedDomain,
  type Project,
  type ReadOptions,
  domainReads,
  nameOf,
  notFound,
} from "./reads.ts";
import { nextWaitingCheck } from "./schedule.ts";
import { type Domain, awaitsCertificate } from "./stage.ts";

/** Checks of one domain that clients may request. */
export const VERIFICATIONS = { requests: 10, seconds: 60 } as const;
/** Checks for one request: while a domain is checked, its certificate can be ordered and installed. */
const MAX_TRIES = 3;
/** Advice for a client whose check takes too long. */
const LATER = "The check continues: fetch the domain later to see its result.";

interface VerificationOptions extends Pick<ReadOptions, "certificates"> {
  checks: Checks;
  /** Limits the checks of one domain that clients request. */
  verifications: RateLimiter;
  /** How long a client waits for a check, in milliseconds. */
  patienceMs?: number;
}

/** @throws Fault plan_required */
const assertPlan = (project: Project) => {
  if (!hasCustomDomains(project)) throw new Fault("plan_required");
};

/**
 * Asks the DNS now. Concurrent requests share the check.
 * @throws Fault not_found, plan_required, rate_limited; domain_taken if the DNS also names the project that holds the
 * name; not_ready if the name servers take too long: the check continues, and its result is stored
 */
const verification = (
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

interface DomainServiceOptions extends ReadOptions, VerificationOptions {
  /** Called when a host name stops being served. */
  onRemoved?: (hostname: string) => void;
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

export const domainService = (context: Context, options: DomainServiceOptions) => {
  const { config, clock } = context;
  const { domains, projects, onRemoved } = options;
  const { listed, shown, find, ...reads } = domainReads(context, options);
  const reservedNames = ownNames(config).reserved;
  const { get } = reads;

  const hasWildcards = options.challengeTargetOf !== undefined;

  const addName = async (
    project: Project,
    hostname: string,
    { actor, pair, isRedirect = false, view = shown }: AdditionOptions,
  ) => {
    const now = clock.now();
    const nextCheckAt = nextWaitingCheck(now, now);
    const limit = pair === undefined ? MAX_DOMAINS : MAX_DOMAINS - 1;
    const row = { projectId: project.id, hostname, nextCheckAt, limit, isRedirect };
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

  /** Adds the domain of a row. @throws Fault why the row is refused */
  const addRow = async (row: DomainRow, slug: string | undefined, actor: Actor): Promise<Addition> => {
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
    /**
     * Adds the domain of each row in its own atomic step, and returns the results in the order of the rows. A domain that its
     * project already has is left unchanged.
     * @param fallback the project of rows without one
     */
    async addRows(
      rows: readonly DomainRow[],
      fallback: string | undefined,
      actor: Actor,
    ): Promise<RowResult[]> {
      const results: RowResult[] = [];
      for (const [index, row] of [...rows.entries()].toSorted(([, a], [, b]) => placeOf(a) - placeOf(b))) {
        const { hostname, project = fallback } = row;
        results[index] = { hostname, project, ...(await addRow(row, project, actor).catch(refusalOf)) };
      }
      return results;
    },
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
