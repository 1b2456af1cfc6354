import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Database } from "../../data/db/open.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { deploys, projects } from "../../data/db/schema/projects.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { type StoredStage, stagesThat } from "../domains/stage.ts";
import type { Preview } from "../../lib/preview.ts";
import { wildcardAbove } from "../../lib/hostname.ts";
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

type Row = Pick<typeof deploys.$inferSelect, "projectId" | "manifest"> & { deployId: number };
/** `primaryHostname`: the project's primary domain, if it is live and its records have pointed here. */
type RowWithPrimary = Row & { primaryHostname: string | null };

const siteOf = ({ projectId, deployId, manifest }: Row): PublishedSite | undefined =>
  manifest === null ? undefined : { kind: "site", projectId, deployId, manifest };

const HELD = stagesThat("isHeld");
const SERVED = stagesThat("isServed");
const HAS_DOMAINS = sql`${projects.plan} IN ${PLANS_WITH_DOMAINS}`;
// Spelled exactly as in the partial index over holders: otherwise SQLite does not use that index.
const IS_HELD = sql`${domains.stage} IN ${HELD}`;
const IS_LIVE = sql`${IS_HELD} AND ${domains.stage} IN ${SERVED} AND ${HAS_DOMAINS}`;

const other = alias(domains, "other");

const LIVE_PRIMARY = sql`(
    SELECT ${other.hostname}
    FROM ${domains} AS ${other}
    WHERE ${other.projectId} = ${projects.id}
      AND ${other.role} = 'primary'
      AND ${other.verifiedAt} IS NOT NULL
      AND ${other.stage} IN ${SERVED}
      AND ${HAS_DOMAINS})`;

const COLUMNS = sql`${projects.id} AS projectId, ${deploys.id} AS deployId, ${columnsOf(deploys, "manifest")}`;

const WITH_ACTIVE_DEPLOY = sql`${projects} JOIN ${deploys} ON ${deploys.id} = ${projects.activeDeployId}`;
const DOMAINS_WITH_DEPLOY = sql`${domains}
  JOIN ${projects} ON ${projects.id} = ${domains.projectId}
  JOIN ${deploys} ON ${deploys.id} = ${projects.activeDeployId}`;

const BY_SLUG = statement<RowWithPrimary>(sql`
  SELECT ${COLUMNS}, ${LIVE_PRIMARY} AS primaryHostname
  FROM ${WITH_ACTIVE_DEPLOY}
  WHERE ${projects.slug} = ${value("slug")}`);

const BY_HOSTNAME = statement<RowWithPrimary & Pick<typeof domains.$inferSelect, "role">>(sql`
  SELECT ${COLUMNS}, ${LIVE_PRIMARY} AS primaryHostname, ${columnsOf(domains, "role")}
  FROM ${DOMAINS_WITH_DEPLOY}
  WHERE ${domains.hostname} = ${value("hostname")} AND ${IS_LIVE}`);

const BY_WILDCARD = statement<Row>(sql`
  SELECT ${COLUMNS}
  FROM ${DOMAINS_WITH_DEPLOY}
  WHERE ${domains.hostname} = ${value("wildcard")}
    AND ${IS_LIVE}
    AND NOT EXISTS (
      SELECT 1
      FROM ${domains} AS ${other}
      WHERE ${other.hostname} = ${value("hostname")}
        AND ${other.projectId} <> ${domains.projectId}
        AND ${other.stage} IN ${HELD})`);

const BY_DEPLOY = statement<Row>(sql`
  SELECT ${COLUMNS}
  FROM ${deploys}
  JOIN ${projects} ON ${projects.id} = ${deploys.projectId}
  WHERE ${deploys.id} = ${value("deployId")} AND ${projects.slug} = ${value("slug")}`);

/** Domains that are not served. The holder of a name precedes projects that wait for it, and the name precedes its wildcard. */
const UNSERVED = statement<Pick<typeof domains.$inferSelect, "hostname" | "stage">>(sql`
  SELECT ${columnsOf(domains, "hostname", "stage")}
  FROM ${domains}
  WHERE ${domains.hostname} IN (${value("hostname")}, ${value("wildcard")}) AND ${domains.stage} NOT IN ${SERVED}
  ORDER BY ${IS_HELD} DESC, ${domains.hostname} = ${value("hostname")} DESC
  LIMIT 1`);

export const publishedNames = ({ client }: Pick<Database, "client">): PublishedQueries => {
  const unserved = (hostname: string, wildcard: string): UnservedDomain | undefined => {
    const row = UNSERVED.get(client, { hostname, wildcard });
    const isBelow = row?.hostname === wildcard;
    return row && { kind: "unserved", hostname, stage: row.stage, ...(isBelow && { wildcard }) };
  };
  const byWildcard = (hostname: string): PublishedSite | UnservedDomain | undefined => {
    const wildcard = wildcardAbove(hostname);
    const row = BY_WILDCARD.get(client, { hostname, wildcard });
    const site = row && siteOf(row);
    return site ? { ...site, wildcard } : unserved(hostname, wildcard);
  };
  return {
    byDeploy(preview) {
      const row = BY_DEPLOY.get(client, preview);
      const site = row && siteOf(row);
      return site && { ...site, isPreview: true };
    },
    bySlug(slug) {
      const row = BY_SLUG.get(client, { slug });
      if (!row) return undefined;
      const { primaryHostname: to } = row;
      // Temporarily: the domain may be removed, and then this name shows the site again.
      return to === null ? siteOf(row) : { kind: "redirect", to, permanent: false };
    },
    byHostname(hostname) {
      const row = BY_HOSTNAME.get(client, { hostname });
      if (!row) return byWildcard(hostname);
      const { role, primaryHostname: to } = row;
      return role === "redirect" && to !== null ? { kind: "redirect", to, permanent: true } : siteOf(row);
    },
  };
};
