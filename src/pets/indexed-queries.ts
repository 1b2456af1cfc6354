import type { Database } from "../db/open.ts";
import type { CatchUp, Unindexed } from "../db/pet-index.ts";
import { lazy, once } from "../lib/lazy.ts";
import { foldLetters } from "../lib/letter-folds.ts";
import { toSearch } from "../lib/search.ts";
import { type CountedPets, type StatusCounts, petCounts } from "./count-queries.ts";
import { isReady, petsByIdOrder } from "./id-order-queries.ts";
import { petsByNameOrder } from "./name-order-queries.ts";
import { type PetSort, isByName } from "./pet.ts";
import type { ListedPet, PetPage } from "./queries.ts";

type Orm = Pick<Database, "orm">;

const listsOf = (database: Orm) => {
  const byId = petsByIdOrder(database);
  const byName = once(() => petsByNameOrder(database, byId));
  return (page: PetPage, ready = isReady): ListedPet[] | Promise<ListedPet[]> =>
    isByName(page.sort) ? ready().then(() => byName()(page)) : byId(page, ready);
};

const compare =
  (sort: PetSort) =>
  (one: ListedPet, other: ListedPet): number => {
    // As SQLite compares texts.
    const names = isByName(sort)
      ? Buffer.compare(Buffer.from(foldLetters(one.name)), Buffer.from(foldLetters(other.name)))
      : 0;
    return (names || one.id - other.id) * (sort.startsWith("-") ? -1 : 1);
  };

/** A page of animals from two sources. An animal whose id was typed may be in both. */
const mergePages = (pages: readonly ListedPet[][], { sort, limit }: PetPage): ListedPet[] => {
  const byId = new Map(pages.flat().map((pet) => [pet.id, pet]));
  return [...byId.values()].toSorted(compare(sort)).slice(0, limit);
};

/**
 * Lists and counts animals. What reads the index of words or names waits until it has every animal. If the storage refuses to
 * write it, the animals that it lacks come from a copy in memory.
 */
export const indexedReads = (database: Orm, catchUp: CatchUp) => {
  const listIndexed = listsOf(database);
  const counts = lazy(() => petCounts(database));

  const countIndexed = async (filters: CountedPets, typed: number | null): Promise<StatusCounts> => {
    const unindexed = await catchUp();
    const found = { ...(await counts.byStatus(filters)) };
    if (!unindexed) return found;
    const all = { status: undefined, ids: undefined, after: undefined, limit: Number.MAX_SAFE_INTEGER };
    // An animal whose id was typed is found without the index.
    const more = await listsOf(unindexed)({ ...all, ...filters, sort: "id" });
    for (const { id, status = "none" } of more) if (id !== typed) found[status] += 1;
    return unindexed.isCurrent() ? found : countIndexed(filters, typed);
  };

  return {
    list(page: PetPage): ListedPet[] | Promise<ListedPet[]> {
      let unindexed: Unindexed | undefined;
      const listing = listIndexed(page, async () => {
        unindexed = await catchUp();
      });
      if (!(listing instanceof Promise)) return listing;
      return listing.then(async (found) =>
        unindexed ? mergePages([found, await listsOf(unindexed)(page)], page) : found,
      );
    },
    counts: {
      addedAfter: counts.addedAfter,
      ofCategories: counts.ofCategories,
      /** The animals that match, by status: those of a category, those that a search finds, or all. */
      byStatus(filters: CountedPets): StatusCounts | Promise<StatusCounts> {
        const search = toSearch(filters.q);
        return search ? countIndexed(filters, search.typed) : counts.byStatus(filters);
      },
    },
  };
};
