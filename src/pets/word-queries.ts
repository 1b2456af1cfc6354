import { setImmediate as nextTurn } from "node:timers/promises";
import { and, asc, desc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import { once, oncePer } from "../lib/lazy.ts";
import { ftsQuery, type IdSlice, MAX_PREFIX_LENGTH, type Search, wordMatcher } from "../lib/search.ts";
import type { Pet } from "./pet.ts";
import {
  byFilters,
  COLUMNS,
  type Filters,
  filterValues,
  HAS_ID,
  indexedTo,
  MATCHES_FILTERS,
  readPets,
  value,
  words,
} from "./queries.ts";

/**
 * Decides if an animal matches a search. The index is read only for words that the name alone does not decide, and for one
 * word at a time: FTS5 finds the animals with several words from the first id on.
 */
export const wordLookup = ({ orm }: Pick<Database, "orm">) => {
  const statement = once(() =>
    orm
      .select({ id: words.id })
      .from(words)
      .where(and(sql`${words.words} match ${value("word")}`, eq(words.id, value("id"))))
      .limit(1)
      .prepare(),
  );
  return ({ words: sought, typed }: Search) => {
    const matches = wordMatcher(sought);
    const isIndexed = (id: number) =>
      sought.every((word) => statement().get({ word: ftsQuery([word]), id }) !== undefined);
    return ({ id, name }: Pick<Pet, "id" | "name">): boolean =>
      id === typed || (matches(name) ?? isIndexed(id));
  };
};

/** Finds the animal whose id was typed, if it matches the filters: none or one. */
export const typedLookup = ({ orm }: Pick<Database, "orm">) => {
  const statement = orm
    .select(COLUMNS)
    .from(pets)
    .where(and(eq(pets.id, value("typed")), MATCHES_FILTERS))
    .limit(1)
    .prepare();
  return ({ typed }: Search, filters: Filters): Pet[] =>
    typed === null ? [] : readPets(statement, { ...filterValues(filters), typed });
};

/** How many ids are read of each list before the next step of the search is planned. */
const PROBED_IDS = 100;

/** Reading an animal takes as long as merging so many ids. */
const ROW_COST = 25;

/**
 * If words have so many ids together, FTS5 may merge them itself. It takes a third of the time, but at worst for all of their
 * ids together, wherever a slice begins and ends: this many take 8 milliseconds.
 */
const MAX_FTS_IDS = 500_000;

/** Other values than those that were measured, for tests. */
export interface PlanOptions {
  probedIds?: number;
  rowCost?: number;
  maxFtsIds?: number;
}

const IN_SLICE = and(gt(pets.id, value("low")), lte(pets.id, value("high")));

const HAS_WORD = (placeholder: string) =>
  and(
    sql`${words.words} match ${value(placeholder)}`,
    gt(words.id, value("low")),
    lte(words.id, value("high")),
  );

interface Limited extends IdSlice {
  limit: number;
}

/** The ids of a word, or of the filters, in an index. */
interface List {
  /** The FTS5 query of a word. */
  text?: string;
  read(slice: Limited): unknown[][];
}

/** The next ids of a list. */
interface Probe {
  list: List;
  ids: number[];
  /** How many ids were looked at: up to the last that was found, or all. */
  reach: number;
  /** The share of these that the list has. */
  density: number;
}

const probe = (list: List, slice: Limited, isDescending: boolean): Probe => {
  const ids = list.read(slice).map(([id]) => Number(id));
  const { low, high, limit } = slice;
  const last = ids.at(-1);
  let reach = high - low;
  if (last !== undefined && ids.length === limit) reach = isDescending ? high - last + 1 : last - low;
  return { list, ids, reach, density: ids.length / reach };
};

const sumOf = (probes: readonly Probe[]): number => probes.reduce((sum, { density }) => sum + density, 0);

/** The next step of a search. */
type Plan =
  /** Reads the animals of the rarest list, and compares them with the search. */
  | { driver: List }
  /** Merges all lists, the rarest word first. */
  | { texts: string[] };

/** The lists of words and filters, in one direction of ids. */
const idLists = ({ orm }: Pick<Database, "orm">, isDescending: boolean) => {
  const order = isDescending ? desc : asc;
  const wordStatement = orm
    .select({ id: words.id })
    .from(words)
    .where(HAS_WORD("word"))
    .orderBy(order(words.id))
    .limit(value("limit"))
    .prepare();
  const statementFor = byFilters((conditions) =>
    orm
      .select({ id: pets.id })
      .from(pets)
      .where(and(...conditions, IN_SLICE))
      .orderBy(order(pets.id))
      .limit(value("limit"))
      .prepare(),
  );
  return {
    ofWords(sought: readonly string[]): List {
      const text = ftsQuery(sought);
      return { text, read: (slice) => wordStatement.values({ ...slice, word: text }) };
    },
    ofFilters(filters: Filters): List[] {
      if ((filters.status ?? filters.categoryId) === undefined) return [];
      const statement = statementFor(filters);
      return [{ read: (slice) => statement.values({ ...filters, ...slice }) }];
    },
  };
};

/** Decides from the next ids of each list how a search continues in a range of ids. */
const wordPlans = (
  { orm }: Pick<Database, "orm">,
  isDescending: boolean,
  { probedIds = PROBED_IDS, rowCost = ROW_COST, maxFtsIds = MAX_FTS_IDS }: PlanOptions = {},
) => {
  const { ofWords, ofFilters } = idLists({ orm }, isDescending);
  const findEnd = indexedTo({ orm });

  return ({ words: sought }: Search, filters: Filters) => {
    // FTS5 collects all animals with a longer word before it returns the first.
    const indexed = sought.map((word) => [...word].slice(0, MAX_PREFIX_LENGTH).join(""));
    const isExact = indexed.every((word, at) => word === sought[at]);
    const lists = [...ofFilters(filters), ...indexed.map((word) => ofWords([word]))];

    /** Undefined if nothing follows. */
    return (slice: IdSlice): Plan | undefined => {
      const next = (list: List) => probe(list, { ...slice, limit: probedIds }, isDescending);
      const probes = lists.map(next).toSorted((one, other) => one.density - other.density);
      const [rarest] = probes;
      if (rarest === undefined || rarest.ids.length === 0) return undefined;
      // The index does not hold the longer word, or merging the ids of all lists costs more than reading the rarest animals.
      if (!isExact || sumOf(probes) > rowCost * rarest.density) return { driver: rarest.list };
      const inWords = probes.filter(({ list }) => list.text !== undefined);
      // FTS5 has nothing to merge, or too much in one step.
      if (inWords.length === 1 || sumOf(inWords) * findEnd() > maxFtsIds)
        return { texts: inWords.flatMap(({ list }) => list.text ?? []) };
      // FTS5 merges the words. Their animals are compared with the filters, or those of rarer filters with the words.
      const allWords = next(ofWords(indexed));
      return { driver: allWords.density < rarest.density ? allWords.list : rarest.list };
    };
  };
};

/** How many animals are read in one turn of the event loop, at first and at most. */
const MIN_ROWS = 100;
const MAX_ROWS = 1000;

/** A merge of this many ids takes some milliseconds, after which other requests run. */
const MERGED_SLICE_IDS = 100_000;

/** The turns until the search is planned again: reading a hundred ids of each of eight words takes a millisecond. */
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

/** Reads the animals that match. */
interface SliceReader<Result> {
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
