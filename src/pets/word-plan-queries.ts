import { and, asc, desc, gt, lte, sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema/pets.ts";
import type { IdSlice } from "../lib/id-slices.ts";
import { MAX_PREFIX_LENGTH, type Search, ftsQuery } from "../lib/search.ts";
import { type Filters, byFilters, indexedTo, value, words } from "./queries.ts";

/** How many ids are read of each list before it is decided how to go on. */
const PROBED_IDS = 100;

/** Reading an animal takes as long as merging so many ids. */
const ROW_COST = 25;

/**
 * If words have so many ids together, FTS5 may merge them itself. It takes a third of the time, but at worst for all of their
 * ids at once, wherever a slice begins and ends: this many take 8 milliseconds.
 */
const MAX_FTS_IDS = 500_000;

/** Other values than those that were measured, for tests. */
export interface PlanOptions {
  probedIds?: number;
  rowCost?: number;
  maxFtsIds?: number;
}

export const IN_SLICE = and(gt(pets.id, value("low")), lte(pets.id, value("high")));

export const HAS_WORD = (placeholder: string) =>
  and(
    sql`${words.words} match ${value(placeholder)}`,
    gt(words.id, value("low")),
    lte(words.id, value("high")),
  );

interface Limited extends IdSlice {
  limit: number;
}

/** The ids of a word, or of the filters, in an index. */
export interface List {
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

export const probe = (list: List, slice: Limited, isDescending: boolean): Probe => {
  const ids = list.read(slice).map(([id]) => Number(id));
  const { low, high, limit } = slice;
  const last = ids.at(-1);
  let reach = high - low;
  if (last !== undefined && ids.length === limit) reach = isDescending ? high - last + 1 : last - low;
  return { list, ids, reach, density: ids.length / reach };
};

const sumOf = (probes: readonly Probe[]): number => probes.reduce((sum, { density }) => sum + density, 0);

/** How a search goes on. */
export type Plan =
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

/** Decides from the next ids of each list how a search goes on in a range of ids. */
export const wordPlans = (
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
      // FTS5 has nothing to merge, or too much at once.
      if (inWords.length === 1 || sumOf(inWords) * findEnd() > maxFtsIds)
        return { texts: inWords.flatMap(({ list }) => list.text ?? []) };
      // FTS5 merges the words. Their animals are compared with the filters, or those of rarer filters with the words.
      const allWords = next(ofWords(indexed));
      return { driver: allWords.density < rarest.density ? allWords.list : rarest.list };
    };
  };
};
