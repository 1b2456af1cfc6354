/** Most words of a search: each is looked up by itself. */
const MAX_WORDS = 8;

/** What the index of names holds as words: letters and digits; accents that stand for themselves are none. */
// Some signs became letters after FTS5's tables were made: within a word they would make a phrase of it.
const WORD = /(?:(?![\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[\p{L}\p{N}\p{Co}])+/gu;
const ACCENT = /[\u0300-\u036f]/g;

/** The words of a search, once each; undefined if there are none, or too many. */
export const searchWords = (text: string): string[] | undefined => {
  const words = new Set(text.normalize("NFC").replace(ACCENT, "").match(WORD));
  return words.size > 0 && words.size <= MAX_WORDS ? [...words] : undefined;
};

/** Characters of the longest beginnings that the index has entries for (migration 0007). */
const MAX_PREFIX_LENGTH = 20;

/** True if the index has an entry for each word: of a longer one it gathers all matches before it can show the first. */
export const hasIndexedPrefixes = (text: string): boolean =>
  (searchWords(text) ?? []).every((word) => [...word].length <= MAX_PREFIX_LENGTH);

/** FTS5's expression for names that have all the words, each as the beginning of one. Nothing in it is a client's syntax. */
export const ftsQuery = (text: string): string =>
  (searchWords(text) ?? []).map((word) => `"${word}"*`).join(" ");
