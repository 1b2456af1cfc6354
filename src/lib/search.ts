import { foldLetters } from "./letter-folds.ts";

/** The index is searched once for each word. */
export const MAX_WORDS = 8;

/**
 * What the index treats as a word: letters and digits. Signs that became letters only after FTS5's tables were written are not
 * part of one: inside a word they would turn it into a phrase.
 */
const WORD = /(?:(?![\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[\p{L}\p{N}\p{Co}])+/gu;

/** The distinct words of a search, with folded letters as in the index; undefined if there are too many. */
export const searchWords = (text: string): string[] | undefined => {
  const words = new Set(foldLetters(text.normalize("NFC")).match(WORD));
  return words.size <= MAX_WORDS ? [...words] : undefined;
};

const ID = /^[1-9][0-9]{0,15}$/;

/** The id that a search consists of; undefined if it is anything else than one number. */
export const typedId = (text: string): number | undefined => {
  const [word = "", ...others] = searchWords(text) ?? [];
  return others.length === 0 && ID.test(word) ? Number(word) : undefined;
};

/** The longest prefix, in characters, that the index has entries for (migration 0007). */
const MAX_PREFIX_LENGTH = 20;

/** True if the index has an entry for every word. For a longer word FTS5 collects all matches before it returns the first. */
export const hasIndexedPrefixes = (text: string): boolean =>
  (searchWords(text) ?? []).every((word) => [...word].length <= MAX_PREFIX_LENGTH);

/** The FTS5 query for names in which each word of the text begins a word. No text can inject query syntax. */
export const ftsQuery = (text: string): string =>
  (searchWords(text) ?? []).map((word) => `"${word}"*`).join(" ");
