/** The index is searched once for each word. */
export const MAX_WORDS = 8;

/**
 * What the index treats as a word: letters and digits. An accent that is a character of its own is not part of one. Neither
 * are signs that became letters only after FTS5's tables were written: inside a word they would turn it into a phrase.
 */
const WORD = /(?:(?![\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[\p{L}\p{N}\p{Co}])+/gu;
const ACCENT = /[\u0300-\u036f]/g;

/** The distinct words of a search; undefined if it has none or too many. */
export const searchWords = (text: string): string[] | undefined => {
  const words = new Set(text.normalize("NFC").replace(ACCENT, "").match(WORD));
  return words.size > 0 && words.size <= MAX_WORDS ? [...words] : undefined;
};

/** The longest prefix, in characters, that the index has entries for (migration 0007). */
const MAX_PREFIX_LENGTH = 20;

/** True if the index has an entry for every word. For a longer word FTS5 collects all matches before it returns the first. */
export const hasIndexedPrefixes = (text: string): boolean =>
  (searchWords(text) ?? []).every((word) => [...word].length <= MAX_PREFIX_LENGTH);

/** The FTS5 query for names in which each word of the text begins a word. No text can inject query syntax. */
export const ftsQuery = (text: string): string =>
  (searchWords(text) ?? []).map((word) => `"${word}"*`).join(" ");
