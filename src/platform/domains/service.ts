import { acceptableDomain, acceptablePair, ownNames } from "../dns-checks/names.ts";
import type { AddressesOf } from "../dns-checks/dns-access.ts";
import { type OfferConnect, patientOffer } from "../dns-records/provider-guide.ts";
import type { Actor } from "../../lib/actor.ts";
import type { DomainRow } from "../../lib/domain-list.ts";
import { Fault, statusOf } from "../../lib/errors.ts";
import { hostnameOf, pairOf, parseDomainName } from "../../lib/hostname.ts";
import { type Page, cutPage, hashedFilter, readCursor, readTextCursor } from "../../lib/pagination.ts";
import type { Context } from "../../data/context.ts";
import { type ProjectService, cnameTargetIn } from "../projects/service.ts";
import { type VerificationOptions, assertPlan, verification } from "./checks.ts";
import type { Domain, DomainCertificates, DomainEvent, InspectedDomain, ListedDomain } from "./domain.ts";
import type { DomainFilters, Domains } from "./repository.ts";
import { FIRST_CHECK_MS } from "./schedule.ts";
import { isWaiting } from "./stage.ts";

type Project = Awaited<ReturnType<ProjectService["get"]>>;

interface ReadOptions {
  domains: Domains;
  projects: ProjectService;
  addressesOf: AddressesOf;
  /** The target to which a project's domains delegate challenges, by label; undefined if the service cannot create records. */
  challengeTargetOf?: ((label: string) => string) | undefined;
  /** Undefined without Domain Connect. */
  offerConnect?: OfferConnect | undefined;
  /** Undefined without HTTPS. */
  certificates?: DomainCertificates | undefined;
}

/** Above every id. */
const NEWEST = Number.MAX_SAFE_INTEGER;

interface PageQuery {
  limit: number;
  cursor: string | undefined;
}

const notFound = (name: string) =>
  new Fault("not_found", `This project has no domain ${name || "with this name"}.`);

/** The A-labels of a domain; "", which no domain has, for anything else. */
const nameOf = (typed: string): string => {
  const parsed = parseDomainName(typed);
  return parsed.ok ? parsed.hostname.ascii : "";
};

/** The provider's page that creates the records of a project's domain; undefined for a domain that has them. */
const connectOf = async (
  offer: OfferConnect,
  { stage, failingSince, ...domain }: Domain,
  { slug, targetLabel: label }: Project,
  zone: string | undefined,
): Promise<ListedDomain["connect"]> => {
  const hostname = hostnameOf(domain.hostname);
  // The templates have no wildcards.
  return !hostname.isWildcard && (isWaiting(stage) || failingSince !== null)
    ? offer({ hostname, zone, label, slug })
    : undefined;
};

/** Domains as clients see them. */
const domainReads = ({ config }: Context, options: ReadOptions) => {
  const { domains, projects, certificates, addressesOf, challengeTargetOf } = options;
  const targetOf = cnameTargetIn(config.platformCnameTarget);
  const offer = options.offerConnect && patientOffer(options.offerConnect);

  /** A domain in a list, with data of its project. */
  const listed = async (
    domain: Domain,
    { slug, targetLabel }: Pick<Project, "slug" | "targetLabel">,
    certificate?: ListedDomain["certificate"],
  ): Promise<ListedDomain> => {
    const target = targetOf(targetLabel);
    const { isApex } = hostnameOf(domain.hostname);
    return {
      ...domain,
      project: slug,
      target,
      challengeTarget: challengeTargetOf?.(targetLabel),
      ...(isApex && { addresses: await addressesOf(target) }),
      certificate,
    };
  };

  /** A single domain, with the provider's page that creates its records. */
  const shown = async (
    domain: Domain,
    project: Project,
    certificate?: ListedDomain["certificate"],
    trace?: InspectedDomain["trace"],
  ): Promise<InspectedDomain> => ({
    ...(await listed(domain, project, certificate)),
    connect: offer && (await connectOf(offer, domain, project, trace?.zone)),
    ...(trace && { trace }),
  });

  /** @throws Fault not_found */
  const find = async (slug: string, typed: string) => {
    const project = await projects.get(slug);
    const domain = await domains.find(project.id, nameOf(typed));
    if (!domain) throw notFound(nameOf(typed));
    return { project, domain };
  };

  const certificateOf = async ({ hostname, projectId }: Domain) => {
    const holder = await domains.holder(hostname);
    const isElsewhere = holder !== undefined && holder.project.id !== projectId;
    return isElsewhere ? undefined : certificates?.find(hostname);
  };

  return {
    listed,
    shown,
    find,
    /** @throws Fault not_found */
    async get(slug: string, typed: string): Promise<InspectedDomain> {
      const { project, domain } = await find(slug, typed);
      const trace = await domains.trace(domain.id);
      const report = trace === undefined ? undefined : (JSON.parse(trace) as InspectedDomain["trace"]);
      return shown(domain, project, await certificateOf(domain), report);
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
        items: await Promise.all(items.map((domain, index) => listed(domain, project, certificates[index]))),
        next,
      };
    },
    /** The domains of one project or of all projects, problems first. @throws Fault not_found, invalid_cursor */
    async listAll({ limit, cursor, ...filters }: PageQuery & DomainFilters): Promise<Page<ListedDomain>> {
      if (filters.project !== undefined) await projects.get(filters.project);
      const list = hashedFilter("all-domains", [filters.q, filters.stages, filters.project]);
      const place = cursor === undefined ? undefined : readTextCursor(cursor, list);
      const found = await domains.overview(filters, limit + 1, place);
      const { items, next } = cutPage(found, limit, list, ({ key }) => key);
      const show = async ({ domain, project }: (typeof items)[number]) =>
        listed(domain, project, await certificateOf(domain));
      return { items: await Promise.all(items.map(show)), next };
    },
    /** Newest first, also of a domain that was removed. @throws Fault not_found, invalid_cursor */
    async history(slug: string, typed: string, { limit, cursor }: PageQuery): Promise<Page<DomainEvent>> {
      const { id: projectId } = await projects.get(slug);
      const hostname = nameOf(typed);
      const list = `history:${projectId}:${hostname}`;
      const before = cursor === undefined ? NEWEST : readCursor(cursor, list);
      const found = await domains.history({ projectId, hostname, before, limit: limit + 1 });
      if (found.length === 0 && cursor === undefined) throw notFound(hostname);
      return cutPage(found, limit, list);
    },
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

interface DomainServiceOptions extends ReadOptions, Omit<VerificationOptions, "certificates"> {
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
    const limit = pair === undefined ? MAX_DOMAINS : MAX_DOMAINS - 1;
    const nextCheckAt = now + FIRST_CHECK_MS;
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
