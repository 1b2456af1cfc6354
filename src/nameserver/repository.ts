import { and, eq, gt, isNotNull, lte, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";

/** The targets of projects, to which their custom domains point. */
export const targetRepository = ({ orm }: Pick<Database, "orm">) => {
  const value = sql.placeholder;
  const validStatement = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(
      and(
        eq(certificates.hostname, domains.hostname),
        lte(certificates.notBefore, value("now")),
        gt(certificates.notAfter, value("now")),
      ),
    );
  const statement = orm
    .select({
      domains: sql<number>`count(*)`,
      secured: sql<number>`count(iif(exists ${validStatement}, 1, null))`,
    })
    .from(projects)
    .innerJoin(domains, eq(domains.projectId, projects.id))
    .where(eq(projects.targetLabel, value("label")))
    .prepare();
  const pendingStatement = orm
    .select({ keyAuthorization: certificates.keyAuthorization })
    .from(projects)
    .innerJoin(domains, eq(domains.projectId, projects.id))
    .innerJoin(certificates, eq(certificates.hostname, domains.hostname))
    .where(and(eq(projects.targetLabel, value("label")), isNotNull(certificates.keyAuthorization)))
    .prepare();
  return {
    /** The key authorizations of the challenges that are pending for domains of the project with this label. */
    pendingAuthorizations: (label: string): string[] =>
      pendingStatement.all({ label }).flatMap(({ keyAuthorization }) => keyAuthorization ?? []),
    /** True if the project with this label has domains, and all of them have a certificate that is valid now. */
    isSecured(label: string, now: number): boolean {
      const { domains: all = 0, secured = 0 } = statement.get({ label, now }) ?? {};
      return all > 0 && secured === all;
    },
  };
};
