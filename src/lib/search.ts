import { foldLetters } from "./letter-folds.ts";

/** Characters of a search. */
export const MAX_SEARCH_LENGTH = 100;
/** The index is searched once for each word. */
export const MAX_WORDS = 8;

/**
 * A word of the index: letters and digits. Signs that became letters only after FTS5's tables were written are not part of
 * one: inside a word they would turn it into a phrase.
 */
const WORD = /(?:(?![\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[\p{L}\p{N}\p{Co}])+/gu;

/** The distinct words of a search, with folded letters as in the index; undefined if there are too many. */
export const searchWords = (text: string): string[] | undefined => {
  const words = new Set(foldLetters(text.normalize("NFC")).match(WORD));
  return words.size <= MAX_WORDS ? [...words] : undefined;
};

const ID = /^[1-9][0-9]{0,15}$/;

/** The id that a search consists of; null if it is anything else than one number. */
const idQueryOf = ([word = "", ...others]: readonly string[]): number | null =>
  others.length === 0 && ID.test(word) ? Number(word) : null;

/** The longest prefix, in characters, that the index has entries for (migration 0007). */
export const MAX_PREFIX_LENGTH = 20;

/** True if the index has an entry for every word. For a longer word FTS5 collects all matches before it returns the first. */
const areIndexedPrefixes = (words: readonly string[]): boolean =>
  words.every((word) => [...word].length <= MAX_PREFIX_LENGTH);

/** The FTS5 query for texts in which each of the words begins a word. No word can inject query syntax. */
export const ftsQuery = (words: readonly string[]): string => words.map((word) => `"${word}"*`).join(" ");

export const FIRST_SLICE_IDS = 25_000;

/** Undefined if the text has no word: such a search filters nothing. */
export const toSearch = (text: string | undefined) => {
  const words = searchWords(text ?? "") ?? [];
  if (words.length === 0) return undefined;
  return {
    words,
    /** The FTS5 query. */
    match: ftsQuery(words),
    /** The id that was typed; null if the text is not an id. */
    idQuery: idQueryOf(words),
    /** How many ids the first slice covers: see `idSlices`. */
    // Collecting the matches of a long word takes as long for a slice as for all ids: such a search has one slice.
    firstSlice: areIndexedPrefixes(words) ? FIRST_SLICE_IDS : Infinity,
  };
};

/** The parsed query of a search. */
export type Search = NonNullable<ReturnType<typeof toSearch>>;

const ASCII = /^[ -~]*$/;

/** Letters that FTS5 keeps as they are: its tables have them, and it does not fold them. */
const PLAIN = /^(?:(?![\u00b5\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[ -~\p{Ll}\p{Lo}])*$/u;

/** True if we know how the index cuts the text into words. */
const isPlain = (folded: string): boolean => ASCII.test(folded) || PLAIN.test(folded);

/** Between the words of a plain text. */
const SEPARATOR = /[ -/:-@[-`{-~]/;

const hasWordWith = (text: string, beginning: string): boolean => {
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1))
    if (at === 0 || SEPARATOR.test(text.charAt(at - 1))) return true;
  return false;
};

/** True if each word of a search begins a word of the name; undefined if only the index can decide. */
type WordMatcher = (name: string) => boolean | undefined;

/** Compares names with the words of a search as the index does, which costs less than to ask it. */
export const wordMatcher = (words: readonly string[]): WordMatcher => {
  if (!words.every(isPlain)) return () => undefined;
  return (name) => {
    const folded = foldLetters(name);
    return isPlain(folded) ? words.every((word) => hasWordWith(folded, word)) : undefined;
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
