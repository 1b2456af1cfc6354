import { and, eq, exists, gt, inArray, isNull, sql } from "drizzle-orm";
import { auditing, changesBetween } from "../db/audit.ts";
import type { Statement } from "../db/commit.ts";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import type { Act } from "../lib/actor.ts";
import { checkWrites } from "./check-repository.ts";
import type { Domain, Role } from "./domain.ts";
import {
  type Orm,
  COLUMNS,
  HELD,
  WAITING,
  actValues,
  hasDomainsPlan,
  insertEvents,
  isOfDomain,
  isOfProject,
  moveBy,
  nextCheckOfLive,
  prepareSlug,
  toDomain,
  value,
} from "./queries.ts";
import { domainReads, historyReads } from "./read-repository.ts";
import { WAITING_MS, nextLiveCheck } from "./schedule.ts";
import { FIRST_STAGE } from "./stage.ts";

type Reading = Pick<Database, "orm">;

/** Statements that update the domain of a name in the transaction that writes its certificate. */
export const certificateEffects = ({ orm }: Reading) => {
  const hasName = eq(domains.hostname, value("hostname"));
  const certificateInUse = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(and(eq(certificates.hostname, value("hostname")), eq(certificates.chain, value("chain"))));
  const order = moveBy(orm, "order_placed", hasName);
  const refuse = moveBy(orm, "issue_refused", hasName);
  const goLive = moveBy(orm, "certificate_stored", and(hasName, exists(certificateInUse)), {
    liveAt: sql`${value("now")}`,
    nextCheckAt: nextCheckOfLive,
  });
  return {
    orderPlaced: (hostname: string, now: number): readonly Statement[] => order({ hostname, now }),
    /** The domain goes live, if the certificate with this chain is in use. */
    certificateStored: (hostname: string, chain: string, now: number): readonly Statement[] =>
      goLive({ hostname, chain, now, nextCheckAt: nextLiveCheck(null, now) }),
    issueRefused: (hostname: string, now: number): readonly Statement[] => refuse({ hostname, now }),
  };
};

/** Statements that update the domains of a project in the transaction that changes it. */
const projectEffects = ({ orm }: Reading) => {
  const suspend = moveBy(orm, "plan_dropped", and(isOfProject, sql`not ${hasDomainsPlan}`), {
    nextCheckAt: null,
  });
  const goLive = moveBy(orm, "plan_restored", and(isOfProject, hasDomainsPlan), {
    liveAt: sql`${value("now")}`,
    // Until it verifies again, because the DNS may have changed to another project's target during the suspension.
    waitingSince: sql`${value("now")}`,
    nextCheckAt: sql`${value("now")}`,
  });
  const isStillWaiting = and(
    isOfProject,
    sql`${domains.stage} in ${WAITING}`,
    isNull(domains.nextCheckAt),
    gt(domains.waitingSince, value("since")),
    hasDomainsPlan,
  );
  const resumeStatement = orm
    .update(domains)
    .set({ nextCheckAt: sql`${value("now")}` })
    .where(isStillWaiting)
    .prepare();
  const heldNames = orm
    .select({ hostname: domains.hostname })
    .from(domains)
    .where(and(isOfProject, sql`${domains.stage} in ${HELD}`));
  const uncertifyStatement = orm
    .delete(certificates)
    .where(inArray(certificates.hostname, heldNames))
    .prepare();
  const uncertifyOwnStatement = orm
    .delete(certificates)
    .where(
      sql`${certificates.hostname} = (select ${projects.slug} || '.' || ${value("platformDomain")} from ${projects} where ${projects.id} = ${value("projectId")})`,
    )
    .prepare();
  return {
    /**
     * After a change of the plan: without custom domains, those that hold their name are suspended; with them, they are live
     * again, and those that still wait for their records are checked again.
     */
    planEffects: (projectId: number, now: number): readonly Statement[] => [
      ...suspend({ projectId, now }),
      ...goLive({ projectId, now }),
      { query: resumeStatement, values: { projectId, now, since: now - WAITING_MS } },
    ],
    /** Before a project is removed: its custom domains lose their certificates, as does its own name. */
    removalEffects: (projectId: number, platformDomain: string): readonly Statement[] => [
      { query: uncertifyStatement, values: { projectId } },
      { query: uncertifyOwnStatement, values: { projectId, platformDomain } },
    ],
  };
};

/** The new role of a domain: its own in the assignment, else that of the others. */
const newRole = sql`coalesce((select value from json_each(${value("roles")}) where key = ${domains.hostname}),
  ${value("others")}, iif(${domains.role} = 'primary', 'served', ${domains.role}))`;

const hasAllNamed = sql`not exists (select 1 from json_each(${value("roles")}) named where not exists
  (select 1 from domains mine where mine.project_id = ${value("projectId")} and mine.hostname = named.key))`;

const ROLE_COLUMNS = { hostname: domains.hostname, role: domains.role };
type RoleRow = Pick<Domain, "hostname" | "role">;

type Store = Pick<Database, "orm" | "client" | "commit">;

/** Which domain is the primary one, and which redirect to it. */
const roleWrites = ({ orm, client, commit }: Store) => {
  const eventStatement = insertEvents(
    orm,
    and(isOfProject, hasAllNamed, sql`${domains.role} <> ${newRole}`),
    sql`'became_' || ${newRole}`,
    sql`${domains.stage}`,
  );
  // Before another becomes the primary one: the unique index looks at each row by itself.
  const releaseStatement = orm
    .update(domains)
    .set({ role: "served" })
    .where(and(isOfProject, hasAllNamed, eq(domains.role, "primary"), sql`${newRole} <> 'primary'`))
    .prepare();
  const assignStatement = orm
    .update(domains)
    .set({ role: newRole })
    .where(and(isOfProject, hasAllNamed))
    .returning(ROLE_COLUMNS)
    .prepare();
  const rolesStatement = orm.select(ROLE_COLUMNS).from(domains).where(isOfProject).prepare();
  const slugStatement = prepareSlug(orm);
  const record = auditing({ client });
  const recordRoles = (act: Act, parent: string, before: readonly RoleRow[], after: readonly RoleRow[]) => {
    const roles = new Map(before.map(({ hostname, role }) => [hostname, role]));
    return after.flatMap(({ hostname: id, role }) => {
      const changes = changesBetween({ role: roles.get(id) ?? null }, { role }, ["role"]);
      return record(act, { action: "domain.changed", id, parent, changes });
    });
  };
  return {
    /**
     * Gives each named domain its role, in one atomic step. The project's other domains keep theirs, but for a primary one that
     * is replaced, or become `served`. False, and nothing is written, unless the project has all that are named.
     */
    async assign(
      projectId: number,
      roles: Readonly<Record<string, Role>>,
      others: "keep" | "served",
      act: Act,
    ): Promise<boolean> {
      const values = {
        projectId,
        roles: JSON.stringify(roles),
        others: others === "keep" ? null : others,
        ...actValues(act),
      };
      const [, , , , rows] = await commit(
        [
          { query: slugStatement, values },
          { query: rolesStatement, values },
          { query: eventStatement, values },
          { query: releaseStatement, values },
          { query: assignStatement, values },
        ],
        ([[project], before, , , after]) => (project ? recordRoles(act, project.slug, before, after) : []),
      );
      return rows.length > 0;
    },
  };
};

/** The first domain is primary, unless it is a wildcard. Another domain can redirect only to a primary one. */
const ROLE_OF_NEW = sql`coalesce(
  iif(substr(${value("hostname")}, 1, 2) = '*.', 'served', null),
  (select iif(${value("isRedirect")}, 'redirect', 'served') from domains
    where project_id = ${value("projectId")} and role = 'primary'),
  iif(exists (select 1 from domains where project_id = ${value("projectId")} and substr(hostname, 1, 2) <> '*.'),
    'served', 'primary'))`;

const insertDomain = (orm: Orm) => {
  const mayAdd = and(
    eq(projects.id, value("projectId")),
    hasDomainsPlan,
    sql`${projects.activeDeployId} is not null`,
    sql`(select count(*) from domains where project_id = ${value("projectId")}) < ${value("most")}`,
    sql`not exists (select 1 from domains where project_id = ${value("projectId")} and hostname = ${value("hostname")})`,
  );
  const fields = {
    projectId: projects.id,
    hostname: value("hostname"),
    stage: sql`${FIRST_STAGE}`,
    role: ROLE_OF_NEW,
    createdAt: value("now"),
    waitingSince: value("now"),
    nextCheckAt: value("nextCheckAt"),
    findings: sql`'[]'`,
  };
  return insertSelect(orm, domains, fields, sql`from ${projects} where ${mayAdd}`)
    .returning(COLUMNS)
    .prepare();
};

interface AddedDomain {
  projectId: number;
  hostname: string;
  nextCheckAt: number | null;
  /** Domains that the project may have with it. */
  most: number;
  /** True if it redirects to the primary domain, where there is one. */
  isRedirect?: boolean;
}

const additions = ({ orm, client, commit }: Store) => {
  const insertStatement = insertDomain(orm);
  // Must follow the insert directly, because `changes()` counts its rows.
  const eventStatement = insertEvents(orm, and(isOfDomain, sql`changes() = 1`));
  const slugStatement = prepareSlug(orm);
  const record = auditing({ client });
  return {
    /**
     * Adds the host name, a project's first one as primary, in one atomic step. Undefined if the project has it already, or may
     * not have it: its plan has no custom domains, it has no deploy, or it has `most` domains. Another project may hold it.
     */
    async add({ most, isRedirect = false, ...domain }: AddedDomain, act: Act): Promise<Domain | undefined> {
      const values = { ...domain, isRedirect: isRedirect ? 1 : 0, ...actValues(act) };
      const [, [row]] = await commit(
        [
          { query: slugStatement, values },
          { query: insertStatement, values: { ...values, most } },
          { query: eventStatement, values: { ...values, event: "added", stage: FIRST_STAGE } },
        ],
        ([[project], [added]]) =>
          record(
            act,
            project && added && { action: "domain.added", id: added.hostname, parent: project.slug },
          ),
      );
      return row && toDomain(row);
    },
  };
};

const removals = ({ orm, client, commit }: Store) => {
  const redirectedHere = and(
    isOfProject,
    eq(domains.role, "redirect"),
    sql`exists (select 1 from domains mine where mine.project_id = ${value("projectId")}
      and mine.hostname = ${value("hostname")} and mine.role = 'primary')`,
  );
  const removalEventStatement = insertEvents(orm, isOfDomain);
  const servedEventStatement = insertEvents(orm, redirectedHere, sql`'became_served'`, sql`${domains.stage}`);
  const serveStatement = orm
    .update(domains)
    .set({ role: "served" })
    .where(redirectedHere)
    .returning({ hostname: domains.hostname })
    .prepare();
  const slugStatement = prepareSlug(orm);
  const record = auditing({ client });
  const deleteStatement = orm.delete(domains).where(isOfDomain).returning({ id: domains.id }).prepare();
  // After the removal: unless another project holds the name, its certificate and its order go too.
  const uncertifyStatement = orm
    .delete(certificates)
    .where(
      and(
        eq(certificates.hostname, value("hostname")),
        sql`not exists (select 1 from domains other where other.hostname = ${value("hostname")} and other.stage in ${HELD})`,
      ),
    )
    .prepare();
  return {
    /**
     * Removes the domain in any stage. If it was the primary one, domains that redirected to it become `served`. False if the
     * project does not have it.
     */
    async remove(projectId: number, hostname: string, act: Act): Promise<boolean> {
      const values = { projectId, hostname, ...actValues(act) };
      const [, , , , rows] = await commit(
        [
          { query: slugStatement, values },
          { query: removalEventStatement, values: { ...values, event: "removed", stage: "removed" } },
          { query: servedEventStatement, values },
          { query: serveStatement, values },
          { query: deleteStatement, values },
          { query: uncertifyStatement, values: { hostname } },
        ],
        ([[project], , , served, [removed]]) => {
          if (!project || !removed) return [];
          const parent = project.slug;
          const changes = [["role", "redirect", "served"]] as const;
          return [
            ...record(act, { action: "domain.removed", id: hostname, parent }),
            ...served.flatMap(({ hostname: id }) =>
              record(act, { action: "domain.changed", id, parent, changes }),
            ),
          ];
        },
      );
      return rows.length > 0;
    },
  };
};

/** The custom domains of projects. */
export const domainRepository = (database: Store) => ({
  ...domainReads(database),
  ...historyReads(database),
  ...additions(database),
  ...checkWrites(database),
  ...roleWrites(database),
  ...removals(database),
  ...projectEffects(database),
});

export type Domains = ReturnType<typeof domainRepository>;
