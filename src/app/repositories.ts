import type { Context } from "../data/context.ts";
import type { Database } from "../data/db/open.ts";
import { certificateRepository } from "../platform/certificates/repository.ts";
import { domainRepository } from "../platform/domains/repository.ts";
import { certificateEffects, projectEffects, stageRepository } from "../platform/domains/stage-repository.ts";
import { projectRepository } from "../platform/projects/repository.ts";

/** The certificates of a database, which may be open for reading only. */
export const openCertificateRepository = (database: Pick<Database, "client" | "commit">) =>
  certificateRepository(database, certificateEffects);

/** The repositories that several rooms of the platform share. */
export const createRepositories = ({ database, config }: Context) => ({
  certificates: openCertificateRepository(database),
  domains: { ...domainRepository(database), ...stageRepository(database) },
  projects: projectRepository(database, {
    afterChange: projectEffects.planEffects,
    beforeRemove: (projectId) => projectEffects.removalEffects(projectId, config.platformDomain),
  }),
});

export type Repositories = ReturnType<typeof createRepositories>;
