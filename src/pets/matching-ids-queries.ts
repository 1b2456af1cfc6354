import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, gt } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import type { Search } from "../lib/search.ts";
import type { PetFilters } from "./pet.ts";
import { HAS_STATUS, IN_CATEGORY, IS_TYPED, MATCHES_FILTERS, value } from "./queries.ts";
import { ALL_IDS, wordSlices } from "./word-slice-queries.ts";

/** Ids that are read from an index in one turn of the event loop. */
const SLICE_IDS = 10_000;

/** The ids of the animals that a search finds, ascending. */
const searchedIds = ({ orm }: Pick<Database, "orm">) => {
  const columns = { id: pets.id };
  const slices = wordSlices<number>(
    { orm },
    {
      prepare(matching) {
        const statement = orm.select(columns).from(pets).where(matching).orderBy(asc(pets.id)).prepare();
        return (values) => statement.values(values).map(([id]) => Number(id));
      },
      fromPets: (found) => found.map(({ id }) => id),
    },
    false,
  );
  const typedStatement = orm
    .select(columns)
    .from(pets)
    .where(and(IS_TYPED, MATCHES_FILTERS))
    .limit(1)
    .prepare();

  return async (search: Search, { status, categoryId }: PetFilters): Promise<number[]> => {
    const found: number[] = [];
    for await (const ids of slices(search, { filters: { status, categoryId }, bounds: ALL_IDS }))
      for (const id of ids) found.push(id);
    const values = { status: status ?? null, categoryId: categoryId ?? null, typed: search.typed };
    const typed = typedStatement.get(values)?.id;
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

  return async (filters: PetFilters, search: Search | undefined): Promise<number[]> => {
    if (search) return searchIds(search, filters);
    const { status, categoryId } = filters;
    const withoutStatus = status === undefined ? categoryStatement : bothStatement;
    const statement = categoryId === undefined ? statusStatement : withoutStatus;
    const found: number[] = [];
    for (let after = 0; ;) {
      const slice = statement.values({ status, categoryId, after });
      for (const [id] of slice) found.push(Number(id));
      if (slice.length < SLICE_IDS) return found;
      after = found.at(-1) ?? after;
      await nextTurn();
    }
  };
};
