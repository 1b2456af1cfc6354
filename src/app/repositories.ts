import { auditRepository } from "../access/audit/repository.ts";
import { categoryRepository } from "../store/categories/repository.ts";
import { certificateRepository } from "../platform/certificates/repository.ts";
import { browserStateRepository } from "../pages/console/repository.ts";
import type { Config } from "../config/config.ts";
import { keptResponseRepository } from "../data/db/kept-responses.ts";
import type { Database } from "../data/db/open.ts";
import type { RequestIndex } from "../data/db/pet-index.ts";
import { deployRepository } from "../platform/deploys/repository.ts";
import { certificateEffects, domainRepository } from "../platform/domains/repository.ts";
import { keyRepository } from "../access/keys/repository.ts";
import { targetRepository } from "../platform/nameserver/repository.ts";
import { noticeRepository } from "../platform/domains/notice-repository.ts";
import { adopterRepository } from "../store/orders/erasure.ts";
import { orderRepository } from "../store/orders/repository.ts";
import { personRepository } from "../access/people/repository.ts";
import { petEventRepository } from "../store/pets/events/repository.ts";
import { petRepository } from "../store/pets/repository.ts";
import { projectRepository } from "../platform/projects/repository.ts";
import { publishedNames } from "../platform/sites/repository.ts";

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
