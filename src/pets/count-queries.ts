import { type AnyColumn, and, asc, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { categories, categoryCounts, dayCounts, pets } from "../db/schema/pets.ts";
import { type Search, toSearch } from "../lib/search.ts";
import type { Pet, PetFilters, PetStatus } from "./pet.ts";
import { COLUMNS, IS_TYPED, MATCHES_CATEGORY, indexedTo, readPets, value } from "./queries.ts";
import { wordLookup } from "./word-lookup-queries.ts";
import { ALL_IDS, wordSlices } from "./word-slice-queries.ts";

/** The animals to count. */
export type CountedPets = Pick<PetFilters, "q" | "categoryId">;

/** The number of animals by status. */
export interface StatusCounts {
  available: number;
  pending: number;
  sold: number;
  /** Without a status. */
  none: number;
}

const NO_ANIMALS: StatusCounts = { available: 0, pending: 0, sold: 0, none: 0 };

/** How many animals were added on a day. */
export interface DayCount {
  /** Days since 1970. */
  day: number;
  count: number;
}

const total = (column: AnyColumn) => sql<number>`coalesce(sum(${column}), 0)`;

// Also grouping by the status, which is text, takes twice as long.
const countStatus = (status: PetStatus) => sql<number>`count(iif(${pets.status} = ${status}, 1, null))`;
const COUNTS = {
  available: countStatus("available"),
  pending: countStatus("pending"),
  sold: countStatus("sold"),
  none: sql<number>`count(iif(${pets.status} is null, 1, null))`,
};

const BY_CATEGORY = {
  available: categoryCounts.available,
  pending: categoryCounts.pending,
  sold: categoryCounts.sold,
  none: categoryCounts.none,
};

const add = (counts: StatusCounts, more: StatusCounts): StatusCounts => ({
  available: counts.available + more.available,
  pending: counts.pending + more.pending,
  sold: counts.sold + more.sold,
  none: counts.none + more.none,
});

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
  const typedStatement = orm
    .select(COLUMNS)
    .from(pets)
    .where(and(IS_TYPED, MATCHES_CATEGORY))
    .limit(1)
    .prepare();
  const lookUp = wordLookup({ orm });
  const findEnd = indexedTo({ orm });

  return async ({ typed, ...search }: Search, categoryId: bigint | undefined): Promise<StatusCounts> => {
    const byWords = { ...search, typed: null };
    const bounds = { ...ALL_IDS, high: findEnd() };
    const hasWords = lookUp(byWords);
    // The animal whose id was typed, unless it is also counted by its words.
    const withId = readPets(typedStatement, { typed, categoryId: categoryId ?? null });
    let counts = countPets(withId.filter((pet) => pet.id > bounds.high || !hasWords(pet)));
    const filters = { status: undefined, categoryId };
    for await (const [more = NO_ANIMALS] of slices(byWords, { filters, bounds })) counts = add(counts, more);
    return counts;
  };
};

/** The number of animals in a category that has a record. */
export interface CategoryCounts {
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

/** Counts animals. What no search limits comes from the counts that triggers keep. */
export const petCounts = ({ orm }: Pick<Database, "orm">) => {
  const totalStatement = orm
    .select({
      available: total(dayCounts.available),
      pending: total(dayCounts.pending),
      sold: total(dayCounts.sold),
      none: total(dayCounts.none),
    })
    .from(dayCounts)
    .prepare();
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
