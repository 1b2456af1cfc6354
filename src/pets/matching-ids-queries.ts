import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, eq, gt, lte, max } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { idSlices } from "../lib/id-slices.ts";
import type { PetFilters } from "./pet.ts";
import {
  FIRST_SLICE_IDS,
  HAS_STATUS,
  IN_CATEGORY,
  IS_TYPED,
  MATCHES_FILTERS,
  type Search,
  WORDS_MATCH,
  value,
  words,
} from "./queries.ts";

/** Ids that are read from an index in one turn of the event loop. */
const SLICE_IDS = 10_000;

/** The ids of the animals that a search finds, ascending. */
const searchedIds = ({ orm }: Pick<Database, "orm">) => {
  // A cross join makes SQLite read the words first.
  const sliceStatement = orm
    .select({ id: words.id })
    .from(words)
    .crossJoin(pets)
    .where(
      and(
        WORDS_MATCH,
        gt(words.id, value("low")),
        lte(words.id, value("high")),
        eq(pets.id, words.id),
        MATCHES_FILTERS,
      ),
    )
    .orderBy(asc(words.id))
    .prepare();
  const typedStatement = orm
    .select({ id: pets.id })
    .from(pets)
    .where(and(IS_TYPED, MATCHES_FILTERS))
    .limit(1)
    .prepare();
  const newestStatement = orm
    .select({ id: max(pets.id) })
    .from(pets)
    .prepare();

  return async ({ firstSlice, ...search }: Search, filters: Record<string, unknown>): Promise<number[]> => {
    const high = newestStatement.get()?.id ?? 0;
    const found: number[] = [];
    for (const slice of idSlices({ low: 0, high }, false, firstSlice, FIRST_SLICE_IDS)) {
      for (const [id] of sliceStatement.values({ ...filters, ...search, ...slice })) found.push(Number(id));
      await nextTurn();
    }
    const typed = typedStatement.get({ ...filters, ...search })?.id;
    if (typed === undefined || found.includes(typed)) return found;
    return [...found, typed].toSorted((one, other) => one - other);
  };
};

/** Reads the ids of all animals that match a search, a status or a category, ascending, in slices that let other requests run. */
export const matchingIds = ({ orm }: Pick<Database, "orm">) => {
  const idsWhere = (...conditions: SQL[]) =>
    orm
      .select({ id: pets.id })
      .from(pets)
      .where(and(...conditions, gt(pets.id, value("after"))))
      .orderBy(asc(pets.id))
      .limit(SLICE_IDS)
      .prepare();
  const statusStatement = idsWhere(HAS_STATUS);
  const categoryStatement = idsWhere(IN_CATEGORY);
  const bothStatement = idsWhere(IN_CATEGORY, HAS_STATUS);
  const searchIds = searchedIds({ orm });

  return async ({ status, categoryId }: PetFilters, search: Search | undefined): Promise<number[]> => {
    const filters = { status: status ?? null, categoryId: categoryId ?? null };
    if (search) return searchIds(search, filters);
    const withoutStatus = status === undefined ? categoryStatement : bothStatement;
    const statement = categoryId === undefined ? statusStatement : withoutStatus;
    const found: number[] = [];
    for (let after = 0; ;) {
      const slice = statement.values({ ...filters, after });
      for (const [id] of slice) found.push(Number(id));
      if (slice.length < SLICE_IDS) return found;
      after = found.at(-1) ?? after;
      await nextTurn();
    }
  };
};
