import { type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "../../data/db/open.ts";
import { petSearch, pets, petsIndexed } from "../../data/db/schema/pets.ts";
import { columnsOf, statement, value, type Query } from "../../data/db/statement.ts";
import type { FieldFilters, Pet, PetFilters, PetSort } from "./pet.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { oncePer } from "../../lib/lazy.ts";
import {
  ftsQuery,
  type IdSlice,
  indexedTerm,
  type Search,
  type Term,
  wordMatcher,
} from "../../lib/search.ts";

export type Reader = Pick<Database, "client">;

export type Row = Pick<typeof pets.$inferSelect, "id" | "name" | "categoryId" | "status">;

export const COLUMNS_BUT_STATUS = columnsOf(pets, "id", "name", "categoryId");
export const COLUMNS = columnsOf(pets, "id", "name", "categoryId", "status");

/** The words that the index has of an animal in addition to those of its name. */
export const ADDED_WORDS = sql`coalesce((
    SELECT coalesce(${petSearch.ofName}, '') || ' ' || ${petSearch.ofProfile}
    FROM ${petSearch} WHERE ${petSearch.petId} = ${pets.id}), '')`;

/** The columns of an animal that is compared with a search. */
export const SEARCHED = sql`${COLUMNS}, ${ADDED_WORDS} AS added`;

/** Names each property: the rest of a row would take twice as long. */
export const toPet = ({ id, name, categoryId, status }: Row): Pet =>
  status ? { id, name, categoryId, status } : { id, name, categoryId };

export type SearchedRow = Row & { added: string };

/** An animal with the words that `SEARCHED` reads. */
export interface Searched {
  pet: Pet;
  added: string;
}

export const toSearched = (row: SearchedRow): Searched => ({ pet: toPet(row), added: row.added });

export const petOf = ({ pet }: Searched): Pet => pet;

/** The start of a page: after the last animal of the previous page. */
export interface Position {
  id: number;
  /**
   * Its key in the order, if that is not its id alone: a time in milliseconds, or its name with folded letters, of which a long one
   * is cut.
   */
  key?: string | number | undefined;
}

/** At most `limit` animals after a position. */
export interface PetPage extends PetFilters {
  sort: PetSort;
  /** Undefined for the first page. */
  after: Position | undefined;
  limit: number;
}

/** An animal of a list, with its key in an order by name or time. */
export type ListedPet = Pet & Pick<Position, "key">;

/** The condition of each filter. Lists, searches and counts take it from here. */
const CONDITIONS: Record<keyof FieldFilters, SQL> = {
  categoryId: sql`${pets.categoryId} = ${value("categoryId")}`,
  status: sql`${pets.status} = ${value("status")}`,
};

export const HAS_STATUS = CONDITIONS.status;

const FILTERS = Object.keys(CONDITIONS) as (keyof FieldFilters)[];

export const allOf = (conditions: readonly SQL[]): SQL => sql.join([...conditions], sql` AND `);

export const hasFilters = (filters: FieldFilters): boolean =>
  FILTERS.some((name) => filters[name] !== undefined);

/** Each bit of an index stands for a filter. */
const COMBINATIONS = Array.from({ length: 2 ** FILTERS.length }, (_, bits) =>
  FILTERS.filter((_name, at) => (bits & (1 << at)) !== 0).map((name) => CONDITIONS[name]),
);

/** Makes a statement for each combination of filters: SQLite plans each by the index that fits. */
export const byFilters = <Made>(make: (conditions: SQL[]) => Made): ((filters: FieldFilters) => Made) => {
  const made = COMBINATIONS.map(make);
  return (filters) => {
    const bits = FILTERS.reduce((sum, name, at) => (filters[name] === undefined ? sum : sum | (1 << at)), 0);
    return made[bits] as Made;
  };
};

/** For few animals, which need no index of the filters: one statement for all combinations, with `filterValues`. */
export const MATCHES_FILTERS = sql`
    ${allOf(FILTERS.map((name) => sql`(${value(name)} IS NULL OR ${CONDITIONS[name]})`))}`;

export const filterValues = (filters: FieldFilters) =>
  Object.fromEntries(FILTERS.map((name) => [name, filters[name] ?? null]));

export const HAS_ID = sql`${pets.id} IN (SELECT value FROM json_each(${value("ids")}))`;

/** Makes the same for ascending and for descending ids or names. */
export const inDirections = <Made>(make: (isDescending: boolean, direction: SQL) => Made) => {
  const [ascending, descending] = [make(false, sql`ASC`), make(true, sql`DESC`)];
  return (isDescending: boolean): Made => (isDescending ? descending : ascending);
};

/** The FTS5 index of names (migration 0016), with the names that FTS5 gives its columns. */
export const words = sqliteTable("pets_words", { id: integer("rowid").notNull(), words: text("pets_words") });

const INDEXED_TO = statement<{ id: number }>(sql`
  SELECT ${petsIndexed.indexedTo} AS id FROM ${petsIndexed} WHERE ${petsIndexed.one} = 1`);

/** The highest id in the index of words. */
export const indexedTo = ({ client }: Reader): number => INDEXED_TO.get(client)?.id ?? 0;

const LOOK_UP_WORD = statement(sql`
  SELECT 1 FROM ${words} WHERE ${words.words} MATCH ${value("word")} AND ${words.id} = ${value("id")}`);

/**
 * Decides if an animal matches terms. The index is read only for terms that the words of the animal do not decide, and for one
 * term at a time: FTS5 finds the animals with several words from the first id on.
 */
const termLookup = ({ client }: Reader, terms: readonly Term[]) => {
  const matches = wordMatcher(terms);
  const isIndexed = (id: number) =>
    terms.every((term) => LOOK_UP_WORD.get(client, { word: ftsQuery([term]), id }) !== undefined);
  return ({ pet, added }: Searched): boolean => matches(pet.name, added) ?? isIndexed(pet.id);
};

/** Decides if an animal matches a search. */
export const wordLookup =
  (reader: Reader) =>
  ({ terms, filters, idQuery }: Search) => {
    const [hasAll, hasFilters] = [termLookup(reader, terms), termLookup(reader, filters)];
    return (searched: Searched): boolean =>
      (searched.pet.id === idQuery && hasFilters(searched)) || hasAll(searched);
  };

const WITH_ID = statement(
  sql`SELECT ${SEARCHED} FROM ${pets} WHERE ${pets.id} = ${value("idQuery")} AND ${MATCHES_FILTERS}`,
).as(toSearched);

/** Finds the animal whose id was typed, if it matches the filters. */
export const findWithId = (
  reader: Reader,
  { idQuery, filters: terms }: Search,
  filters: FieldFilters,
): Searched | undefined => {
  if (idQuery === null) return undefined;
  const found = WITH_ID.get(reader.client, { ...filterValues(filters), idQuery });
  return found && termLookup(reader, terms)(found) ? found : undefined;
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

const IN_SLICE = sql`${pets.id} > ${value("low")} AND ${pets.id} <= ${value("high")}`;

const hasWord = (name: string) => sql`
    ${words.words} MATCH ${value(name)}
    AND ${words.id} > ${value("low")} AND ${words.id} <= ${value("high")}`;

interface Limited extends IdSlice {
  limit: number;
}

/** The ids of a word, or of the filters, in an index. */
interface List {
  /** The FTS5 query of a word. */
  text?: string;
  read(slice: Limited): { id: number }[];
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
  const ids = list.read(slice).map(({ id }) => id);
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

const IDS = inDirections((_, direction) => ({
  ofWords: statement<{ id: number }>(sql`
    SELECT ${words.id} AS id
    FROM ${words}
    WHERE ${hasWord("word")}
    ORDER BY ${words.id} ${direction}
    LIMIT ${value("limit")}`),
  ofFilters: byFilters((conditions) =>
    statement<{ id: number }>(sql`
      SELECT ${pets.id} AS id
      FROM ${pets}
      WHERE ${allOf([...conditions, IN_SLICE])}
      ORDER BY ${pets.id} ${direction}
      LIMIT ${value("limit")}`),
  ),
}));

/** The lists of words and filters, in one direction of ids. */
const idLists = ({ client }: Reader, isDescending: boolean) => {
  const ids = IDS(isDescending);
  return {
    ofTerms(terms: readonly Term[]): List {
      const text = ftsQuery(terms);
      return { text, read: (slice) => ids.ofWords.all(client, { ...slice, word: text }) };
    },
    ofFilters(filters: FieldFilters): List[] {
      if (!hasFilters(filters)) return [];
      const query = ids.ofFilters(filters);
      return [{ read: (slice) => query.all(client, { ...filters, ...slice }) }];
    },
  };
};

/** Decides from the next ids of each list how a search continues in a range of ids. */
const wordPlans = (
  reader: Reader,
  isDescending: boolean,
  { probedIds = PROBED_IDS, rowCost = ROW_COST, maxFtsIds = MAX_FTS_IDS }: PlanOptions = {},
) => {
  const { ofTerms, ofFilters } = idLists(reader, isDescending);

  return ({ terms }: Search, filters: FieldFilters) => {
    const indexed = terms.map(indexedTerm);
    const isExact = indexed.every((term, at) => term === terms[at]);
    const lists = [...ofFilters(filters), ...indexed.map((term) => ofTerms([term]))];

    /** Undefined if nothing follows. */
    return (slice: IdSlice): Plan | undefined => {
      const next = (list: List) => probe(list, { ...slice, limit: probedIds }, isDescending);
      const probes = lists.map(next).toSorted((a, b) => a.density - b.density);
      const [rarest] = probes;
      if (rarest === undefined || rarest.ids.length === 0) return undefined;
      // The index does not hold the longer word, or merging the ids of all lists costs more than reading the rarest animals.
      if (!isExact || sumOf(probes) > rowCost * rarest.density) return { driver: rarest.list };
      const inWords = probes.filter(({ list }) => list.text !== undefined);
      // FTS5 has nothing to merge, or too much in one step.
      if (inWords.length === 1 || sumOf(inWords) * indexedTo(reader) > maxFtsIds)
        return { texts: inWords.flatMap(({ list }) => list.text ?? []) };
      // FTS5 merges the words. Their animals are compared with the filters, or those of rarer filters with the words.
      const allWords = next(ofTerms(indexed));
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
    (_, index) => sql`SELECT ${words.id} FROM ${words} WHERE ${hasWord(`word${index}`)}`,
  );
  const inFilters = sql`SELECT ${pets.id} FROM ${pets} WHERE ${allOf([...conditions, IN_SLICE])}`;
  const lists = conditions.length > 0 ? [inFilters, ...inWords] : inWords;
  return sql`${pets.id} IN (
    ${sql.join(lists, sql` INTERSECT `)}
    ORDER BY 1 ${isDescending ? sql`DESC` : sql`ASC`}
    LIMIT ${value("limit")})`;
};

const wordValues = (texts: readonly string[]) =>
  Object.fromEntries(texts.map((text, at) => [`word${at}`, text]));

/** Reads the animals that match. */
interface SliceResults<Result> {
  read(matching: SQL): Query<Result>;
  fromPets(found: Pet[]): Result[];
}

interface SliceSearch {
  filters: FieldFilters;
  bounds: IdSlice;
  /** How many results are still missing; without it all are read. */
  missing?: () => number;
}

const WITH_IDS = inDirections((_, direction) =>
  statement(sql`
    SELECT ${SEARCHED}
    FROM ${pets}
    WHERE ${HAS_ID} AND ${MATCHES_FILTERS}
    ORDER BY ${pets.id} ${direction}`).as(toSearched),
);

/**
 * Finds animals in the index of words, a slice of ids at a time, and lets other requests run in between. Call it at the top
 * level of a module: it makes statements.
 */
export const wordSlices = <Result>(isDescending: boolean, { read, fromPets }: SliceResults<Result>) => {
  const mergersFor = byFilters((conditions) =>
    oncePer((count: number) => read(inMerged(count, conditions, isDescending))),
  );
  return (reader: Reader, options?: PlanOptions) => {
    const { client } = reader;
    const lookUp = wordLookup(reader);
    const plansFor = wordPlans(reader, isDescending, options);

    return async function* (search: Search, { filters, bounds, missing = () => -1 }: SliceSearch) {
      const values = filterValues(filters);
      const isMatch = lookUp(search);
      const planFrom = plansFor(search, filters);
      let { low } = bounds;
      let high = Math.min(bounds.high, indexedTo(reader));
      for (let turn = 0, plan = planFrom({ low, high }); plan && low < high; turn += 1) {
        let reach = Math.min(MERGED_SLICE_IDS, high - low);
        if ("driver" in plan) {
          const limit = Math.min(MIN_ROWS * 2 ** turn, MAX_ROWS);
          const next = probe(plan.driver, { low, high, limit }, isDescending);
          const found = WITH_IDS(isDescending).all(client, { ...values, ids: JSON.stringify(next.ids) });
          yield fromPets(found.filter(isMatch).map(petOf));
          reach = next.reach;
        } else {
          const merge = mergersFor(filters)(plan.texts.length);
          const slice = isDescending ? { low: high - reach, high } : { low, high: low + reach };
          yield merge.all(client, { ...values, ...slice, ...wordValues(plan.texts), limit: missing() });
        }
        if (isDescending) high -= reach;
        else low += reach;
        await nextTurn();
        if (turn % TURNS_A_PLAN === TURNS_A_PLAN - 1) plan = planFrom({ low, high });
      }
    };
  };
};
