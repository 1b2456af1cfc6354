import { asc, eq } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { NEEDS_ATTENTION } from "./queries.ts";

/** The domains of all projects that need a person's attention. */
export const failingDomains = ({ orm }: Pick<Database, "orm">, limit: number) =>
  orm
    .select({
      hostname: domains.hostname,
      project: projects.slug,
      stage: domains.stage,
      failingSince: domains.failingSince,
    })
    .from(domains)
    .innerJoin(projects, eq(projects.id, domains.projectId))
    .where(NEEDS_ATTENTION)
    .orderBy(asc(domains.id))
    .limit(limit)
    .all();
