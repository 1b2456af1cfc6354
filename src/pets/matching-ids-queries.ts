import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, gt } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { idSlices } from "../lib/id-slices.ts";
import { FIRST_SLICE_IDS, type Search } from "../lib/search.ts";
import type { PetFilters } from "./pet.ts";
import {
  HAS_STATUS,
  IN_CATEGORY,
  IS_TYPED,
  MATCHES_FILTERS,
  WORDS_IN_SLICE,
  newestId,
  value,
  words,
} from "./queries.ts";

/** Ids that are read from an index in one turn of the event loop. */
const SLICE_IDS = 10_000;

/** The ids of the animals that a search finds, ascending. */
const searchedIds = ({ orm }: Pick<Database, "orm">) => {
  const sliceStatement = orm
    .select({ id: words.id })
    .from(words)
    .crossJoin(pets)
    .where(and(WORDS_IN_SLICE, MATCHES_FILTERS))
    .orderBy(asc(words.id))
    .prepare();
  const typedStatement = orm
    .select({ id: pets.id })
    .from(pets)
    .where(and(IS_TYPED, MATCHES_FILTERS))
    .limit(1)
    .prepare();
  const newest = newestId({ orm });

  return async ({ firstSlice, ...search }: Search, filters: Record<string, unknown>): Promise<number[]> => {
    const found: number[] = [];
    for (const slice of idSlices({ low: 0, high: newest() }, false, firstSlice, FIRST_SLICE_IDS)) {
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
