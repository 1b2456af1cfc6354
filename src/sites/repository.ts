import { type SQL, and, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { domains } from "../db/schema/domains.ts";
import { deploys, projects } from "../db/schema/projects.ts";
import { stagesThat } from "../domains/stage.ts";
import { PLANS_WITH_DOMAINS } from "../projects/plan.ts";

/** The site of a project: the deploy that it serves. */
export interface PublishedSite {
  kind: "site";
  projectId: number;
  deployId: number;
  /** The hash of the deploy's manifest. */
  manifest: string;
}

/** A name that redirects to another one, permanently or temporarily. */
export interface PublishedRedirect {
  kind: "redirect";
  /** The project's primary domain, in A-labels. */
  to: string;
  permanent: boolean;
}

export type Published = PublishedSite | PublishedRedirect;

export interface PublishedNames {
  /** What the project's own name shows: its site, or its primary domain while that is live. */
  bySlug(slug: string): Published | undefined;
  /** What a custom domain shows: only if it is live, and its project's plan has custom domains. */
  byHostname(hostname: string): Published | undefined;
}

interface Row {
  projectId: number;
  deployId: number;
  manifest: string | null;
  /** The project's primary domain, if it is live. */
  primary: string | null;
}

const siteOf = ({ projectId, deployId, manifest }: Row): PublishedSite | undefined =>
  manifest === null ? undefined : { kind: "site", projectId, deployId, manifest };

const hasDomains = inArray(projects.plan, PLANS_WITH_DOMAINS);
const listOf = (stages: readonly string[]) => sql.raw(`(${stages.map((stage) => `'${stage}'`).join(", ")})`);
// Spelled exactly as in the partial index over holders: otherwise SQLite does not use that index.
const isHeld = sql`${domains.stage} in ${listOf(stagesThat("isHeld"))}`;
const SERVED = listOf(stagesThat("isServed"));

const livePrimary: SQL<string | null> = sql`(
  select d.hostname from ${domains} d
  where d.project_id = ${projects.id} and d.role = 'primary' and d.stage in ${SERVED} and ${hasDomains})`;

const COLUMNS = {
  projectId: projects.id,
  deployId: deploys.id,
  manifest: deploys.manifest,
  primary: livePrimary,
};

export const publishedNames = ({ orm }: Pick<Database, "orm">): PublishedNames => {
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
    .where(
      and(eq(domains.hostname, value("hostname")), isHeld, sql`${domains.stage} in ${SERVED}`, hasDomains),
    )
    .limit(1)
    .prepare();
  return {
    bySlug(slug) {
      const row = slugStatement.get({ slug });
      if (!row) return undefined;
      // Temporarily: the domain may be removed, and then this name shows the site again.
      return row.primary === null ? siteOf(row) : { kind: "redirect", to: row.primary, permanent: false };
    },
    byHostname(hostname) {
      const row = hostnameStatement.get({ hostname });
      if (!row) return undefined;
      return row.role === "redirect" && row.primary !== null
        ? { kind: "redirect", to: row.primary, permanent: true }
        : siteOf(row);
    },
  };
};
