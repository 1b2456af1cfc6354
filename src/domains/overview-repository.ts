import { and, asc, count, eq, sql } from "drizzle-orm";
import { ifGiven } from "../db/if-given.ts";
import type { Database } from "../db/open.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { unicodeOf } from "../lib/hostname.ts";
import type { Domain } from "./domain.ts";
import { COLUMNS, NEEDS_ATTENTION, PENDING, toDomain, value } from "./queries.ts";
import type { StoredStage } from "./stage.ts";

export interface DomainFilters {
  /** Part of a host name in A-labels or U-labels, in lower case. */
  text?: string | undefined;
  stages?: readonly StoredStage[] | undefined;
  /** The slug of a project. */
  project?: string | undefined;
}

/** 0: a person must act. 1: the domain waits for its records or its certificate. 2: neither. */
const RANK = sql<number>`(case when ${NEEDS_ATTENTION} then 0 when ${domains.stage} in ${PENDING} then 1 else 2 end)`;

/** The place of a domain in the list: by rank, then by host name, then by id. */
export interface Place {
  rank: number;
  hostname: string;
  id: number;
}

const FIRST_PLACE: Place = { rank: 0, hostname: "", id: 0 };
const IS_AFTER = sql`(${RANK}, ${domains.hostname}, ${domains.id}) > (${value("rank")}, ${value("hostname")}, ${value("id")})`;

const listIn = (placeholder: string) => sql`(select value from json_each(${value(placeholder)}))`;

const MATCHES = and(
  ifGiven("project", eq(projects.slug, value("project"))),
  ifGiven("stages", sql`${domains.stage} in ${listIn("stages")}`),
  ifGiven("text", sql`instr(${domains.hostname}, ${value("text")}) > 0`),
  ifGiven("ids", sql`${domains.id} in ${listIn("ids")}`),
);

export interface PlacedDomain extends Place {
  domain: Domain;
  project: { slug: string; targetLabel: string };
}

/** The domains of a search, by stage. Those that need attention are in any stage. */
export interface DomainCounts {
  needAttention: number;
  byStage: Partial<Record<StoredStage, number>>;
}

const IS_ASCII = /^[\0-\x7f]*$/;

/** Reads of the domains of all projects. */
export const overviewReads = ({ orm }: Pick<Database, "orm">) => {
  const isOfProject = eq(projects.id, domains.projectId);
  const listStatement = orm
    .select({
      domain: COLUMNS,
      project: { slug: projects.slug, targetLabel: projects.targetLabel },
      rank: RANK,
    })
    .from(domains)
    .innerJoin(projects, isOfProject)
    .where(and(MATCHES, IS_AFTER))
    .orderBy(asc(RANK), asc(domains.hostname), asc(domains.id))
    .limit(value("limit"))
    .prepare();
  const countStatement = orm
    .select({
      stage: domains.stage,
      all: count(),
      needAttention: sql<number>`count(iif(${NEEDS_ATTENTION}, 1, null))`,
    })
    .from(domains)
    .innerJoin(projects, isOfProject)
    .where(MATCHES)
    .groupBy(domains.stage)
    .prepare();
  const idnStatement = orm
    .select({ id: domains.id, hostname: domains.hostname })
    .from(domains)
    .where(sql`instr(${domains.hostname}, 'xn--') > 0`)
    .prepare();
  // SQLite cannot decode Punycode. Punycode keeps the ASCII characters of a label, so ASCII text needs no decoding.
  const searchOf = (text: string | undefined) => {
    if (text === undefined || IS_ASCII.test(text)) return { text: text ?? null, ids: null };
    const found = idnStatement.all().filter(({ hostname }) => unicodeOf(hostname).includes(text));
    return { text: null, ids: JSON.stringify(found.map(({ id }) => id)) };
  };
  const valuesOf = ({ text, stages, project }: DomainFilters) => ({
    ...searchOf(text),
    stages: stages ? JSON.stringify(stages) : null,
    project: project ?? null,
  });
  return {
    /** The domains after a place: first those that need attention, then those that wait, then the others. */
    async overview(filters: DomainFilters, limit: number, after = FIRST_PLACE): Promise<PlacedDomain[]> {
      return listStatement
        .all({ ...valuesOf(filters), ...after, limit })
        .map(({ domain, project, rank }) => ({
          domain: toDomain(domain),
          project,
          rank,
          hostname: domain.hostname,
          id: domain.id,
        }));
    },
    async count(filters: DomainFilters): Promise<DomainCounts> {
      const rows = countStatement.all(valuesOf(filters));
      return {
        needAttention: rows.reduce((sum, row) => sum + row.needAttention, 0),
        byStage: Object.fromEntries(rows.map(({ stage, all }) => [stage, all])),
      };
    },
  };
};
