import type { Context } from "../data/context.ts";
import type { Database } from "../data/db/open.ts";
import { certificateRepository } from "../platform/certificates/repository.ts";
import { certificateEffects, domainRepository } from "../platform/domains/repository.ts";
import { projectRepository } from "../platform/projects/repository.ts";

/** The certificates of a database, which may be open for reading only. */
export const openCertificateRepository = (database: Pick<Database, "client" | "commit">) =>
  certificateRepository(database, certificateEffects);

/** The repositories that several rooms of the platform share. */
export const createRepositories = ({ database, config }: Context) => {
  const domains = domainRepository(database);
  return {
    certificates: openCertificateRepository(database),
    domains,
    projects: projectRepository(database, {
      afterChange: domains.planEffects,
      beforeRemove: (projectId) => domains.removalEffects(projectId, config.platformDomain),
    }),
  };
};

export type Repositories = ReturnType<typeof createRepositories>;
