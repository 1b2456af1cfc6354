import { certificateRepository } from "../platform/certificates/repository.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../data/db/open.ts";
import { deployRepository } from "../platform/deploys/repository.ts";
import { certificateEffects, domainRepository } from "../platform/domains/repository.ts";
import { targetRepository } from "../platform/nameserver/repository.ts";
import { noticeRepository } from "../platform/domains/notice-repository.ts";
import { projectRepository } from "../platform/projects/repository.ts";
import { publishedNames } from "../platform/sites/repository.ts";

export type Repositories = ReturnType<typeof createRepositories>;

/** The certificates of a database, which may be open for reading only. */
export const openCertificateRepository = (database: Pick<Database, "client" | "commit">) =>
  certificateRepository(database, certificateEffects);

/** The repositories of the platform. They prepare each statement on its first use. */
export const createRepositories = (database: Database, { platformDomain }: Config) => {
  const domains = domainRepository(database);
  return {
    certificates: openCertificateRepository(database),
    deploys: deployRepository(database),
    domains,
    notices: noticeRepository(database),
    projects: projectRepository(database, {
      afterChange: domains.planEffects,
      beforeRemove: (projectId) => domains.removalEffects(projectId, platformDomain),
    }),
    targets: targetRepository(database),
    publishedNames: publishedNames(database),
  };
};
