import type { AddressesOf } from "../dns-checks/dns-access.ts";
import type { Report } from "../dns-checks/model.ts";
import type { ConnectOffer } from "../dns-records/model.ts";
import { type OfferConnect, patientOffer } from "../dns-records/provider-guide.ts";
import { Fault } from "../../lib/errors.ts";
import { hostnameOf, parseDomainName } from "../../lib/hostname.ts";
import { type Page, cutPage, hashedFilter, readCursor, readTextCursor } from "../../lib/pagination.ts";
import type { Context } from "../../data/context.ts";
import { type ProjectService, cnameTargetIn } from "../projects/service.ts";
import type { DomainCertificate } from "./certificate-model.ts";
import type { DomainFilters } from "./read-repository.ts";
import type { Domains } from "./repository.ts";
import { type Domain, type DomainEvent, isWaiting } from "./stage.ts";

export type Project = Awaited<ReturnType<ProjectService["get"]>>;

/** A domain and the required target of its record. */
export type ListedDomain = Domain & {
  /** The slug of its project. */
  project: string;
  target: string;
  /** Of the target; only for an apex. */
  addresses?: readonly string[];
  /** The name to which its challenge may be delegated; undefined if the service cannot create records. */
  challengeTarget?: string | undefined;
  /** Only for a domain that needs records. */
  connect?: ConnectOffer | undefined;
  /** Its certificate, if the service has HTTPS. */
  certificate?: DomainCertificate | undefined;
};

/** A listed domain with the queries of its last check. */
export type InspectedDomain = ListedDomain & { trace?: Report };

/** The certificates of domains. */
interface DomainCertificates {
  /** Undefined if the name is unknown. */
  find(hostname: string): Promise<DomainCertificate | undefined>;
  /** Requests a certificate, also for a new name; false if a limit makes it wait. */
  request(hostname: string): Promise<boolean>;
}

export interface ReadOptions {
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

export const notFound = (name: string) =>
  new Fault("not_found", `This project has no domain ${name || "with this name"}.`);

/** The A-labels of a domain; "", which no domain has, for anything else. */
export const nameOf = (typed: string): string => {
  const parsed = parseDomainName(typed);
  return parsed.ok ? parsed.hostname.ascii : "";
};

/** Domains as clients see them. */
export const domainReads = ({ config }: Context, options: ReadOptions) => {
  const { domains, projects, certificates, addressesOf, challengeTargetOf } = options;
  const targetOf = cnameTargetIn(config.platformCnameTarget);
  const offer = patientOffer(options.offerConnect);

  /** A domain in a list, with data of its project. */
  const listed = async (
    domain: Domain,
    { slug, targetLabel }: Pick<Project, "slug" | "targetLabel">,
    certificate?: DomainCertificate,
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

  /** The provider's page that creates the records of a project's domain; undefined for a domain that has them. */
  const connectOf = async (
    { stage, failingSince, ...domain }: Domain,
    { slug, targetLabel: label }: Project,
    zone: string | undefined,
  ): Promise<ConnectOffer | undefined> => {
    const hostname = hostnameOf(domain.hostname);
    // The templates have no wildcards.
    return !hostname.isWildcard && (isWaiting(stage) || failingSince !== null)
      ? offer({ hostname, zone, label, slug })
      : undefined;
  };

  /** A single domain, with the provider's page that creates its records. */
  const shown = async (
    domain: Domain,
    project: Project,
    certificate?: DomainCertificate,
    trace?: Report,
  ): Promise<InspectedDomain> => ({
    ...(await listed(domain, project, certificate)),
    connect: await connectOf(domain, project, trace?.zone),
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
      const report = trace === undefined ? undefined : (JSON.parse(trace) as Report);
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

export type DomainReads = ReturnType<typeof domainReads>;
