import { sql } from "drizzle-orm";
import type { Database } from "../../data/db/open.ts";
import { certificates } from "../../data/db/schema/certificates.ts";
import { domains } from "../../data/db/schema/domains.ts";
import { projects } from "../../data/db/schema/projects.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";

const DOMAINS_OF_TARGET = sql`${projects} JOIN ${domains} ON ${domains.projectId} = ${projects.id}`;

const SECURED = statement<{ domains: number; secured: number }>(sql`
  SELECT
    count(*) AS domains,
    count(iif(EXISTS (
      SELECT 1
      FROM ${certificates}
      WHERE ${certificates.hostname} = ${domains.hostname}
        AND ${certificates.notBefore} <= ${value("now")}
        AND ${certificates.notAfter} > ${value("now")}), 1, null)) AS secured
  FROM ${DOMAINS_OF_TARGET}
  WHERE ${projects.targetLabel} = ${value("label")}`);

const PENDING = statement<{ keyAuthorization: string }>(sql`
  SELECT ${columnsOf(certificates, "keyAuthorization")}
  FROM ${DOMAINS_OF_TARGET}
  JOIN ${certificates} ON ${certificates.hostname} = ${domains.hostname}
  WHERE ${projects.targetLabel} = ${value("label")} AND ${certificates.keyAuthorization} IS NOT NULL`);

/** The targets of projects, to which their custom domains point. */
export const targetRepository = ({ client }: Pick<Database, "client">) => ({
  /** The key authorizations of the challenges that are pending for domains of the project with this label. */
  pendingAuthorizations: (label: string) =>
    PENDING.all(client, { label }).map(({ keyAuthorization }) => keyAuthorization),
  /** True if the project with this label has domains, and all of them have a certificate that is valid now. */
  isSecured(label: string, now: number): boolean {
    const { domains: all = 0, secured = 0 } = SECURED.get(client, { label, now }) ?? {};
    return all > 0 && secured === all;
  },
});
