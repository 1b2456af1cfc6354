import { commandServices } from "../app/command-services.ts";
import { type CategoryAccess, type CategoryNames, categoryNames } from "../bulk/category-names.ts";
import { categoryLookup, storedCategories } from "../bulk/repository.ts";
import { newCategoryChecker } from "../categories/model.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/open.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { Fault } from "../lib/errors.ts";

/** Why no category can have a name, by the rules of the API. */
const problemOf = (name: string): string | undefined =>
  newCategoryChecker.accepts({ name }) ? undefined : newCategoryChecker.explain({ name });

/** Counts new categories with ids that no category has. */
const pretendToCreate = (names: CategoryNames) => {
  let id = 0n;
  return async (name: string): Promise<void> => names.add({ id: --id, name });
};

const createIn = (config: Config, database: Database, names: CategoryNames) => {
  const { categories } = commandServices(config, database);
  return async (name: string): Promise<void> => {
    try {
      const added = await categories.add(name, OPERATOR);
      names.add({ id: BigInt(added.id), name: added.name });
    } catch (error) {
      if (!(error instanceof Fault && error.code === "category_name_taken")) throw error;
      // Somebody else added it a moment ago.
      names.reload();
    }
  };
};

/**
 * The categories of a store for an import.
 * @param database undefined: there is no store yet
 * @param isDry missing categories are not stored
 */
export const categoryAccess = (
  config: Config,
  database: Database | undefined,
  { creates, isDry }: { creates: boolean; isDry: boolean },
): CategoryAccess => {
  const names = categoryNames(() => (database ? storedCategories(database) : []));
  const create = isDry || !database ? pretendToCreate(names) : createIn(config, database, names);
  return {
    names,
    problemOf,
    create: creates ? create : undefined,
    hasCategory: config.strictCategories && database ? categoryLookup(database) : undefined,
  };
};
