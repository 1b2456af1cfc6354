import { type SQL, and, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { domains } from "../db/schema/domains.ts";
import { deploys, projects } from "../db/schema/projects.ts";
import { type StoredStage, stagesThat } from "../domains/stage.ts";
import type { Preview } from "../lib/preview.ts";
import { wildcardAbove } from "../lib/hostname.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";

/** A deploy that is served. */
export interface PublishedSite {
  kind: "site";
  /** True at the deploy's own address, which shows it whether or not its project serves it. */
  isPreview?: boolean;
  projectId: number;
  deployId: number;
  /** The hash of the deploy's manifest. */
  manifest: string;
  /** The wildcard domain that the name lies below, if it is not a domain itself. */
  wildcard?: string;
}

/** A name that redirects to another one, permanently or temporarily. */
export interface PublishedRedirect {
  kind: "redirect";
  /** The project's primary domain, in A-labels. */
  to: string;
  permanent: boolean;
}

/** A custom domain of a project that does not show the site now. */
export interface UnservedDomain {
  kind: "unserved";
  /** The name of the request. */
  hostname: string;
  stage: StoredStage;
  /** As for a site. */
  wildcard?: string;
}

export type Published = PublishedSite | PublishedRedirect | UnservedDomain;

export interface PublishedNames {
  /** The content of a name below PLATFORM_DOMAIN: the project's site, or its primary domain while that is live. */
  bySlug(slug: string): Published | undefined;
  /**
   * The content of a custom domain: only if it is live, and its project's plan has custom domains. Without one, the live wildcard
   * directly above the name counts, unless another project holds the name. Otherwise the domain's stage, if a project has it.
   */
  byHostname(hostname: string): Published | undefined;
}

/** The queries for the names. */
export interface PublishedQueries extends PublishedNames {
  /** A deploy of a project that succeeded, served or not. */
  byDeploy(preview: Preview): PublishedSite | undefined;
}

interface Row {
  projectId: number;
  deployId: number;
  manifest: string | null;
  /** The project's primary domain, if it is live and its records have pointed here. */
  primary: string | null;
}

const siteOf = ({ projectId, deployId, manifest }: Omit<Row, "primary">): PublishedSite | undefined =>
  manifest === null ? undefined : { kind: "site", projectId, deployId, manifest };

const hasDomains = inArray(projects.plan, PLANS_WITH_DOMAINS);
const listOf = (stages: readonly string[]) => sql.raw(`(${stages.map((stage) => `'${stage}'`).join(", ")})`);
// Spelled exactly as in the partial index over holders: otherwise SQLite does not use that index.
const isHeld = sql`${domains.stage} in ${listOf(stagesThat("isHeld"))}`;
const SERVED = listOf(stagesThat("isServed"));

const isLive = (...conditions: SQL[]) =>
  and(...conditions, isHeld, sql`${domains.stage} in ${SERVED}`, hasDomains);

const isNotHeldElsewhere = sql`not exists (select 1 from domains other
  where other.hostname = ${sql.placeholder("hostname")} and other.project_id <> ${domains.projectId}
    and other.stage in ${listOf(stagesThat("isHeld"))})`;

const livePrimary: SQL<string | null> = sql`(
  select d.hostname from ${domains} d
  where d.project_id = ${projects.id} and d.role = 'primary' and d.verified_at is not null
    and d.stage in ${SERVED} and ${hasDomains})`;

const COLUMNS = {
  projectId: projects.id,
  deployId: deploys.id,
  manifest: deploys.manifest,
  primary: livePrimary,
};

/** Domains that are not served. The holder of a name precedes projects that wait for it, and the name precedes its wildcard. */
const unservedDomains = ({ orm }: Pick<Database, "orm">) => {
  const hostname = sql.placeholder("hostname");
  const statement = orm
    .select({ hostname: domains.hostname, stage: domains.stage })
    .from(domains)
    .where(
      sql`${domains.hostname} in (${hostname}, ${sql.placeholder("wildcard")}) and ${domains.stage} not in ${SERVED}`,
    )
    .orderBy(sql`${isHeld} desc, ${domains.hostname} = ${hostname} desc`)
    .limit(1)
    .prepare();
  return (name: string, wildcard: string): UnservedDomain | undefined => {
    const row = statement.get({ hostname: name, wildcard });
    const isBelow = row?.hostname === wildcard;
    return row && { kind: "unserved", hostname: name, stage: row.stage, ...(isBelow && { wildcard }) };
  };
};

export const publishedNames = ({ orm }: Pick<Database, "orm">): PublishedQueries => {
  const value = sql.placeholder;
  const slugStatement = orm
    .select(COLUMNS)
    .from(projects)
    .innerJoin(deploys, eq(deploys.id, projects.activeDeployId))
    .where(eq(projects.slug, value("slug")))
    .limit(1)
    .prepare();
  const hostnameStatement = orm
    .select({ ...COLUMNS, role: domains.role })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .innerJoin(deploys, eq(deploys.id, projects.activeDeployId))
    .where(isLive(eq(domains.hostname, value("hostname"))))
    .limit(1)
    .prepare();
  const wildcardStatement = orm
    .select(COLUMNS)
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .innerJoin(deploys, eq(deploys.id, projects.activeDeployId))
    .where(isLive(eq(domains.hostname, value("wildcard")), isNotHeldElsewhere))
    .limit(1)
    .prepare();
  const deployStatement = orm
    .select({ projectId: projects.id, deployId: deploys.id, manifest: deploys.manifest })
    .from(deploys)
    .innerJoin(projects, eq(projects.id, deploys.projectId))
    .where(and(eq(deploys.id, value("deployId")), eq(projects.slug, value("slug"))))
    .limit(1)
    .prepare();
  const unserved = unservedDomains({ orm });
  const byWildcard = (hostname: string): PublishedSite | UnservedDomain | undefined => {
    const wildcard = wildcardAbove(hostname);
    const row = wildcardStatement.get({ hostname, wildcard });
    const site = row && siteOf(row);
    return site ? { ...site, wildcard } : unserved(hostname, wildcard);
  };
  return {
    byDeploy(preview) {
      const row = deployStatement.get({ ...preview });
      const site = row && siteOf(row);
      return site && { ...site, isPreview: true };
    },
    bySlug(slug) {
      const row = slugStatement.get({ slug });
      if (!row) return undefined;
      // Temporarily: the domain may be removed, and then this name shows the site again.
      return row.primary === null ? siteOf(row) : { kind: "redirect", to: row.primary, permanent: false };
    },
    byHostname(hostname) {
      const row = hostnameStatement.get({ hostname });
      if (!row) return byWildcard(hostname);
      return row.role === "redirect" && row.primary !== null
        ? { kind: "redirect", to: row.primary, permanent: true }
        : siteOf(row);
    },
  };
};
