import { setImmediate as nextTurn } from "node:timers/promises";
import { type SQL, and, asc, desc, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import type { IdSlice } from "../lib/id-slices.ts";
import { oncePer } from "../lib/lazy.ts";
import type { Search } from "../lib/search.ts";
import type { Pet } from "./pet.ts";
import {
  COLUMNS,
  type Filters,
  HAS_ID,
  MATCHES_FILTERS,
  byFilters,
  filterValues,
  indexedTo,
  readPets,
  value,
} from "./queries.ts";
import { wordLookup } from "./word-lookup-queries.ts";
import { HAS_WORD, IN_SLICE, type PlanOptions, probe, wordPlans } from "./word-plan-queries.ts";

/** How many animals are read in one turn of the event loop, at first and at most. */
const MIN_ROWS = 100;
const MAX_ROWS = 1000;

/** A merge of this many ids takes some milliseconds, after which other requests run. */
const MERGED_SLICE_IDS = 100_000;

/** How often it is decided how to go on: reading a hundred ids of each of eight words takes a millisecond. */
const TURNS_A_PLAN = 4;

export const ALL_IDS: IdSlice = { low: 0, high: Number.MAX_SAFE_INTEGER };

/** The animals of a slice that match each of so many words, and the filters. SQLite merges the indexes in the order of ids. */
const inMerged = (count: number, conditions: readonly SQL[], isDescending: boolean): SQL => {
  const inWords = Array.from(
    { length: count },
    (_, at) => sql`select rowid from pets_words where ${HAS_WORD(`word${at}`)}`,
  );
  const inFilters = sql`select ${pets.id} from ${pets} where ${and(...conditions, IN_SLICE)}`;
  const lists = conditions.length > 0 ? [inFilters, ...inWords] : inWords;
  const order = isDescending ? sql`desc` : sql`asc`;
  return sql`${pets.id} in (${sql.join(lists, sql` intersect `)} order by 1 ${order} limit ${value("limit")})`;
};

const wordValues = (texts: readonly string[]) =>
  Object.fromEntries(texts.map((text, at) => [`word${at}`, text]));

/** What is read of the animals that match. */
export interface SliceReader<Result> {
  prepare(matching: SQL): (values: Record<string, unknown>) => Result[];
  fromPets(found: Pet[]): Result[];
}

interface SliceSearch {
  filters: Filters;
  bounds: IdSlice;
  /** How many results are still missing; without it all are read. */
  missing?: () => number;
}

/** Finds animals in the index of words, a slice of ids at a time, and lets other requests run in between. */
export const wordSlices = <Result>(
  { orm }: Pick<Database, "orm">,
  reader: SliceReader<Result>,
  isDescending: boolean,
  options?: PlanOptions,
) => {
  const petsStatement = orm
    .select(COLUMNS)
    .from(pets)
    .where(and(HAS_ID, MATCHES_FILTERS))
    .orderBy((isDescending ? desc : asc)(pets.id))
    .prepare();
  const lookUp = wordLookup({ orm });
  const findEnd = indexedTo({ orm });
  const plansFor = wordPlans({ orm }, isDescending, options);
  const mergersFor = byFilters((conditions) =>
    oncePer((count: number) => reader.prepare(inMerged(count, conditions, isDescending))),
  );

  return async function* (search: Search, { filters, bounds, missing = () => -1 }: SliceSearch) {
    const values = filterValues(filters);
    const isMatch = lookUp(search);
    const planFrom = plansFor(search, filters);
    let { low } = bounds;
    let high = Math.min(bounds.high, findEnd());
    for (let turn = 0, plan = planFrom({ low, high }); plan && low < high; turn += 1) {
      let reach = Math.min(MERGED_SLICE_IDS, high - low);
      if ("driver" in plan) {
        const limit = Math.min(MIN_ROWS * 2 ** turn, MAX_ROWS);
        const next = probe(plan.driver, { low, high, limit }, isDescending);
        const read = readPets(petsStatement, { ...values, ids: JSON.stringify(next.ids) });
        yield reader.fromPets(read.filter(isMatch));
        reach = next.reach;
      } else {
        const merge = mergersFor(filters)(plan.texts.length);
        const slice = isDescending ? { low: high - reach, high } : { low, high: low + reach };
        yield merge({ ...values, ...slice, ...wordValues(plan.texts), limit: missing() });
      }
      if (isDescending) high -= reach;
      else low += reach;
      await nextTurn();
      if (turn % TURNS_A_PLAN === TURNS_A_PLAN - 1) plan = planFrom({ low, high });
    }
  };
};
