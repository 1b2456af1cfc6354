import { setImmediate as nextTurn } from "node:timers/promises";
import { type AnyColumn, and, asc, eq, gt, not, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { categories, categoryCounts, dayCounts, pets } from "../db/schema/pets.ts";
import { idSlices } from "../lib/id-slices.ts";
import { FIRST_SLICE_IDS, type Search, toSearch } from "../lib/search.ts";
import type { PetFilters, PetStatus } from "./pet.ts";
import { HAS_WORDS, IS_TYPED, MATCHES_CATEGORY, WORDS_IN_SLICE, newestId, value, words } from "./queries.ts";

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

/** Counts the animals that match a search, a slice of ids at a time, and lets other requests run in between. */
const searchCounts = ({ orm }: Pick<Database, "orm">) => {
  const sliceStatement = orm
    .select(COUNTS)
    .from(words)
    .crossJoin(pets)
    .where(and(WORDS_IN_SLICE, MATCHES_CATEGORY))
    .prepare();
  const typedStatement = orm
    .select(COUNTS)
    .from(pets)
    .where(and(IS_TYPED, MATCHES_CATEGORY, not(HAS_WORDS)))
    .prepare();
  const newest = newestId({ orm });

  return async ({ firstSlice, ...search }: Search, categoryId: bigint | undefined): Promise<StatusCounts> => {
    const values = { ...search, categoryId: categoryId ?? null };
    let counts = typedStatement.get(values) ?? NO_ANIMALS;
    for (const slice of idSlices({ low: 0, high: newest() }, false, firstSlice, FIRST_SLICE_IDS)) {
      counts = add(counts, sliceStatement.get({ ...values, ...slice }) ?? NO_ANIMALS);
      await nextTurn();
    }
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
