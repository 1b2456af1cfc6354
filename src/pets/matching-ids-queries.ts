import { setImmediate as nextTurn } from "node:timers/promises";
import { and, asc, gt } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import type { Search } from "../lib/search.ts";
import { type Filters, byFilters, value } from "./queries.ts";
import { typedLookup } from "./word-lookup-queries.ts";
import { ALL_IDS, wordSlices } from "./word-slice-queries.ts";

/** Ids that are read from an index in one turn of the event loop. */
const SLICE_IDS = 10_000;

/** The ids of the animals that a search finds, ascending. */
const searchedIds = ({ orm }: Pick<Database, "orm">) => {
  const slices = wordSlices<number>(
    { orm },
    {
      prepare(matching) {
        const statement = orm
          .select({ id: pets.id })
          .from(pets)
          .where(matching)
          .orderBy(asc(pets.id))
          .prepare();
        return (values) => statement.values(values).map(([id]) => Number(id));
      },
      fromPets: (found) => found.map(({ id }) => id),
    },
    false,
  );
  const findTyped = typedLookup({ orm });

  return async (search: Search, filters: Filters): Promise<number[]> => {
    const found: number[] = [];
    for await (const ids of slices(search, { filters, bounds: ALL_IDS }))
      for (const id of ids) found.push(id);
    const [typed] = findTyped(search, filters);
    if (!typed || found.includes(typed.id)) return found;
    return [...found, typed.id].toSorted((one, other) => one - other);
  };
};

/** Reads the ids of all animals that match a search, a status or a category, ascending, in slices that let other requests run. */
export const matchingIds = ({ orm }: Pick<Database, "orm">) => {
  const statementFor = byFilters((conditions) =>
    orm
      .select({ id: pets.id })
      .from(pets)
      .where(and(...conditions, gt(pets.id, value("after"))))
      .orderBy(asc(pets.id))
      .limit(SLICE_IDS)
      .prepare(),
  );
  const searchIds = searchedIds({ orm });

  return async ({ status, categoryId }: Filters, search: Search | undefined): Promise<number[]> => {
    if (search) return searchIds(search, { status, categoryId });
    const statement = statementFor({ status, categoryId });
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
