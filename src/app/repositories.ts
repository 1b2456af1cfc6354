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
import { lazy, once } from "../lib/lazy.ts";
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

/**
 * The repositories of every room. Preparing the queries of one takes milliseconds, so each is built on first use: `pets` and
 * `keys`, which every request needs, on the first read of the property, the others on the first call of a method.
 */
export const createRepositories = (
  database: Database,
  { strictCategories, platformDomain }: Config,
  requestIndex?: RequestIndex,
) => {
  const pets = once(() => petRepository(database, { strictCategories, requestIndex }));
  const keys = once(() => keyRepository(database));
  const domains = lazy(() => domainRepository(database));
  return {
    get pets() {
      return pets();
    },
    get keys() {
      return keys();
    },
    audit: lazy(() => auditRepository(database)),
    browserStates: lazy(() => browserStateRepository(database)),
    adopters: lazy(() => adopterRepository(database)),
    categories: lazy(() => categoryRepository(database)),
    certificates: lazy(() => openCertificateRepository(database)),
    deploys: lazy(() => deployRepository(database)),
    domains,
    keptResponses: lazy(() => keptResponseRepository(database)),
    notices: lazy(() => noticeRepository(database)),
    orders: lazy(() => orderRepository(database)),
    people: lazy(() => personRepository(database)),
    petEvents: lazy(() => petEventRepository(database)),
    projects: lazy(() =>
      projectRepository(database, {
        afterChange: domains.planEffects,
        beforeRemove: (projectId) => domains.removalEffects(projectId, platformDomain),
      }),
    ),
    targets: lazy(() => targetRepository(database)),
    publishedNames: lazy(() => publishedNames(database)),
  };
};
