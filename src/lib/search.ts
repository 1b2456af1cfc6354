import { foldLetters } from "./letter-folds.ts";
import { wordsOf } from "./words.ts";

/** Characters of a search. */
export const MAX_SEARCH_LENGTH = 100;
/** The index is searched once for each word. */
export const MAX_WORDS = 8;

/** The distinct words of a search, as in the index; undefined if there are too many. */
export const searchWords = (text: string, wordsIn = wordsOf): string[] | undefined => {
  const words = wordsIn(text);
  return words.length <= MAX_WORDS ? words : undefined;
};

/** A word of the text begins with this, or with one of these. */
export type Term = string | readonly string[];

const choicesOf = (term: Term): readonly string[] => (typeof term === "string" ? [term] : term);

const ID = /^[1-9][0-9]{0,15}$/;

/** The id that a search consists of; null if it is anything else than one number. */
const idQueryOf = ([word = "", ...others]: readonly string[]): number | null =>
  others.length === 0 && ID.test(word) ? Number(word) : null;

/** The longest prefix, in characters, that the index has entries for (migration 0007). */
const MAX_PREFIX_LENGTH = 20;

/** The beginning of a term, as long as the index has entries for. For longer ones FTS5 collects all matches before the first. */
export const indexedTerm = (term: Term): Term =>
  typeof term === "string" ? [...term].slice(0, MAX_PREFIX_LENGTH).join("") : term;

const areIndexed = (terms: readonly Term[]): boolean => terms.every((term) => term === indexedTerm(term));

/** The FTS5 query for texts that match all terms. No word can inject query syntax. */
export const ftsQuery = (terms: readonly Term[]): string =>
  terms
    .map(
      (term) =>
        `(${choicesOf(term)
          .map((word) => `"${word}"*`)
          .join(" OR ")})`,
    )
    .join(" AND ");

export const FIRST_SLICE_IDS = 25_000;

interface SearchOptions {
  /** Terms that every match has, also one by its id. */
  filters?: readonly Term[];
  wordsIn?: typeof wordsOf;
}

/** Undefined if the text has no word, and there are no other filters: such a search filters nothing. */
export const toSearch = (text: string | undefined, { filters = [], wordsIn }: SearchOptions = {}) => {
  const words = text === undefined ? [] : (searchWords(text, wordsIn) ?? []);
  const terms = [...words, ...filters];
  if (terms.length === 0) return undefined;
  return {
    terms,
    filters,
    /** The FTS5 query. */
    match: ftsQuery(terms),
    /** The id that was typed; null if the text is not an id. */
    idQuery: idQueryOf(words),
    /** How many ids the first slice covers: see `idSlices`. */
    // Collecting the matches of a long word takes as long for a slice as for all ids: such a search has one slice.
    firstSlice: areIndexed(terms) ? FIRST_SLICE_IDS : Infinity,
  };
};

/** The parsed query of a search. */
export type Search = NonNullable<ReturnType<typeof toSearch>>;

const ASCII = /^[ -~]*$/;

/** Letters that FTS5 keeps as they are: its tables have them, and it does not fold them. U+E000 begins the words of filters. */
const PLAIN = /^(?:(?![\u00b5\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[ -~\p{Ll}\p{Lo}\ue000])*$/u;

/** True if we know how the index cuts the text into words. */
const isPlain = (folded: string): boolean => ASCII.test(folded) || PLAIN.test(folded);

/** Between the words of a plain text. */
const SEPARATOR = /[ -/:-@[-`{-~]/;

const hasWordWith = (text: string, beginning: string): boolean => {
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1))
    if (at === 0 || SEPARATOR.test(text.charAt(at - 1))) return true;
  return false;
};

/** True if an animal matches each term; undefined if only the index can decide. @param added its words in `pet_search` */
type WordMatcher = (name: string, added?: string) => boolean | undefined;

/** Compares animals with the terms of a search as the index does, which costs less than to ask it. */
export const wordMatcher = (terms: readonly Term[]): WordMatcher => {
  const choices = terms.map(choicesOf);
  if (!choices.flat().every(isPlain)) return () => undefined;
  return (name, added = "") => {
    const text = added === "" ? foldLetters(name) : `${foldLetters(name)} ${added}`;
    if (!isPlain(text)) return undefined;
    return choices.every((words) => words.some((word) => hasWordWith(text, word)));
  };
};

/** The ids above `low` and up to `high`. */
export interface IdSlice {
  low: number;
  high: number;
}

/** The largest slice: a search of it takes some milliseconds, after which other requests run. */
const MAX_SLICE_IDS = 100_000;

/**
 * Cuts a range of ids into slices, from the lowest or from the highest id. Each covers twice as many ids as the one before,
 * up to a limit.
 */
export function* idSlices({ low, high }: IdSlice, isDescending: boolean, first: number): Generator<IdSlice> {
  let rest = { low, high };
  for (let size = first; rest.low < rest.high; size = Math.min(2 * size, MAX_SLICE_IDS)) {
    const cut = isDescending ? Math.max(rest.high - size, rest.low) : Math.min(rest.low + size, rest.high);
    yield isDescending ? { low: cut, high: rest.high } : { low: rest.low, high: cut };
    rest = isDescending ? { low: rest.low, high: cut } : { low: cut, high: rest.high };
  }
}
