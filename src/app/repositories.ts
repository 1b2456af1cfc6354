import { auditRepository } from "../audit/repository.ts";
import { categoryRepository } from "../categories/repository.ts";
import { certificateRepository } from "../certificates/repository.ts";
import { browserStateRepository } from "../console/repository.ts";
import type { Config } from "../config/config.ts";
import { keptResponseRepository } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import type { RequestIndex } from "../db/pet-index.ts";
import { deployRepository } from "../deploys/repository.ts";
import { certificateEffects, domainRepository } from "../domains/repository.ts";
import { keyRepository } from "../keys/repository.ts";
import { targetRepository } from "../nameserver/repository.ts";
import { noticeRepository } from "../notices/repository.ts";
import { adopterRepository } from "../orders/erasure.ts";
import { orderRepository } from "../orders/repository.ts";
import { personRepository } from "../people/repository.ts";
import { petEventRepository } from "../pets/events/repository.ts";
import { petRepository } from "../pets/repository.ts";
import { projectRepository } from "../projects/repository.ts";
import { publishedNames } from "../sites/repository.ts";

export type Repositories = ReturnType<typeof createRepositories>;

/** The certificates of a database, which may be open for reading only. */
export const openCertificateRepository = (database: Pick<Database, "client" | "commit">) =>
  certificateRepository(database, certificateEffects);

/** The repositories of every room. They prepare each statement on its first use. */
export const createRepositories = (
  database: Database,
  { strictCategories, platformDomain }: Config,
  requestIndex?: RequestIndex,
) => {
  const domains = domainRepository(database);
  return {
    pets: petRepository(database, { strictCategories, requestIndex }),
    keys: keyRepository(database),
    audit: auditRepository(database),
    browserStates: browserStateRepository(database),
    adopters: adopterRepository(database),
    categories: categoryRepository(database),
    certificates: openCertificateRepository(database),
    deploys: deployRepository(database),
    domains,
    keptResponses: keptResponseRepository(database),
    notices: noticeRepository(database),
    orders: orderRepository(database),
    people: personRepository(database),
    petEvents: petEventRepository(database),
    projects: projectRepository(database, {
      afterChange: domains.planEffects,
      beforeRemove: (projectId) => domains.removalEffects(projectId, platformDomain),
    }),
    targets: targetRepository(database),
    publishedNames: publishedNames(database),
  };
};
