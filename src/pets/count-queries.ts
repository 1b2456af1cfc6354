import { asc, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { categories, categoryCounts, dayCounts, pets } from "../db/schema/pets.ts";
import { type Search, toSearch } from "../lib/search.ts";
import { PET_STATUSES, type Pet, type PetFilters } from "./pet.ts";
import { indexedTo, value } from "./queries.ts";
import { ALL_IDS, typedLookup, wordLookup, wordSlices } from "./word-queries.ts";

/** The animals to count. */
export type CountedPets = Pick<PetFilters, "q" | "categoryId">;

/** `none`: animals without a status. */
const COUNTED = [...PET_STATUSES, "none"] as const;
type Counted = (typeof COUNTED)[number];

const forEachStatus = <Value>(make: (status: Counted) => Value) =>
  Object.fromEntries(COUNTED.map((status) => [status, make(status)])) as Record<Counted, Value>;

/** The number of animals by status. */
export type StatusCounts = Record<Counted, number>;

const NO_ANIMALS: StatusCounts = forEachStatus(() => 0);

/** How many animals were added on a day. */
interface DayCount {
  /** Days since 1970. */
  day: number;
  count: number;
}

// Grouping by the status, which is text, takes twice as long.
const COUNTS = forEachStatus((status) => {
  const isStatus = status === "none" ? sql`is null` : sql`= ${status}`;
  return sql<number>`count(iif(${pets.status} ${isStatus}, 1, null))`;
});

const BY_CATEGORY = forEachStatus((status) => categoryCounts[status]);

const TOTALS = forEachStatus((status) => sql<number>`coalesce(sum(${dayCounts[status]}), 0)`);

const add = (counts: StatusCounts, more: StatusCounts): StatusCounts =>
  forEachStatus((status) => counts[status] + more[status]);

const countPets = (some: readonly Pet[]): StatusCounts => {
  const counts = { ...NO_ANIMALS };
  for (const { status } of some) counts[status ?? "none"] += 1;
  return counts;
};

/** Counts the animals that match a search. */
const searchCounts = ({ orm }: Pick<Database, "orm">) => {
  const slices = wordSlices<StatusCounts>(
    { orm },
    {
      prepare(matching) {
        const statement = orm.select(COUNTS).from(pets).where(matching).prepare();
        return (values) => statement.all(values);
      },
      fromPets: (found) => [countPets(found)],
    },
    false,
  );
  const findTyped = typedLookup({ orm });
  const lookUp = wordLookup({ orm });
  const findEnd = indexedTo({ orm });

  return async (search: Search, categoryId: bigint | undefined): Promise<StatusCounts> => {
    const byWords = { ...search, typed: null };
    const filters = { status: undefined, categoryId };
    const bounds = { ...ALL_IDS, high: findEnd() };
    const hasWords = lookUp(byWords);
    const isUncounted = (pet: Pet) => pet.id > bounds.high || !hasWords(pet);
    let counts = countPets(findTyped(search, filters).filter(isUncounted));
    for await (const [more = NO_ANIMALS] of slices(byWords, { filters, bounds })) counts = add(counts, more);
    return counts;
  };
};

/** The number of animals in a category that has a record. */
interface CategoryCounts {
  id: number;
  name: string;
  byStatus: StatusCounts;
}

/** Counts the animals of each category, ascending by the category's id. */
const countsOfCategories = ({ orm }: Pick<Database, "orm">) => {
  const listStatement = orm
    .select({ id: categories.id, name: categories.name, byStatus: BY_CATEGORY })
    .from(categories)
    .leftJoin(categoryCounts, eq(categoryCounts.categoryId, sql`${categories.id}`))
    .where(gt(categories.id, value("after")))
    .orderBy(asc(categories.id))
    .limit(value("limit"))
    .prepare();
  return (page: { after: number; limit: number }): CategoryCounts[] =>
    listStatement
      .all({ ...page })
      .map(({ id, name, byStatus }) => ({ id, name, byStatus: byStatus ?? NO_ANIMALS }));
};

/** Counts animals. Counts without a search come from the counts that triggers keep. */
export const petCounts = ({ orm }: Pick<Database, "orm">) => {
  const totalStatement = orm.select(TOTALS).from(dayCounts).prepare();
  const categoryStatement = orm
    .select(BY_CATEGORY)
    .from(categoryCounts)
    .where(eq(categoryCounts.categoryId, value("categoryId")))
    .limit(1)
    .prepare();
  const daysStatement = orm
    .select({
      day: dayCounts.day,
      count: sql<number>`${dayCounts.available} + ${dayCounts.pending} + ${dayCounts.sold} + ${dayCounts.none}`,
    })
    .from(dayCounts)
    .where(gt(dayCounts.day, value("after")))
    .orderBy(asc(dayCounts.day))
    .prepare();
  const countMatches = searchCounts({ orm });

  return {
    /** The animals that match, by status: those of a category, those that a search finds, or all. */
    byStatus({ q, categoryId }: CountedPets): StatusCounts | Promise<StatusCounts> {
      const search = toSearch(q);
      if (search) return countMatches(search, categoryId);
      if (categoryId === undefined) return totalStatement.get() ?? NO_ANIMALS;
      return categoryStatement.get({ categoryId }) ?? NO_ANIMALS;
    },
    /** The days after a day on which animals were added, ascending. */
    addedAfter: (after: number): DayCount[] => daysStatement.all({ after }),
    ofCategories: countsOfCategories({ orm }),
  };
};
