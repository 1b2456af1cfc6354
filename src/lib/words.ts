import { foldLetters } from "./letter-folds.ts";
import { once } from "./lazy.ts";

/**
 * A word of the index: letters, their marks, and digits. Signs that became letters only after FTS5's tables were written are
 * not part of one: inside a word they would turn it into a phrase. Nor are the marks after emoji.
 */
const WORD = /(?:(?![\ufe0e\ufe0f\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3])[\p{L}\p{Mn}\p{Mc}\p{N}\p{Co}])+/gu;

const distinct = (words: Iterable<string>): string[] => [...new Set(words)];

/** The words that SQL makes of a text in composed form: the index of orders has only these. */
export const plainWords = (text: string): string[] =>
  distinct(foldLetters(text.normalize("NFC")).match(WORD) ?? []);

/** Selectors of a glyph, and joiners. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Everything but the vowels Sara Am and Lao Am, which NFKC splits, but which are always typed whole. */
const COMPATIBLE = /[^\u0e33\u0eb3]+/g;

/**
 * The distinct words of a text, with folded letters, and with compatibility characters by their meaning (NFKC): `①` as `1`. Folding
 * comes first: it has its own replacement of some of them.
 */
export const wordsOf = (text: string): string[] =>
  distinct(
    foldLetters(
      foldLetters(text.normalize("NFC"))
        .replaceAll(COMPATIBLE, (part) => part.normalize("NFKC"))
        .replaceAll(INVISIBLE, ""),
    ).match(WORD) ?? [],
  );

const segmenter = once(() => new Intl.Segmenter("und", { granularity: "word" }));

/** Of a word inside a longer one, in characters. A text of one word must not make an index many times its own size. */
const MAX_INNER_LENGTH = 40;

/** Scripts without spaces between words. In others a word has no boundary, and finding that out takes 40 microseconds. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The ends of a word from each later word boundary (UAX 29) on: 東京犬 also has 犬. */
const innerWords = (word: string): string[] => {
  if (!UNSPACED.test(word)) return [];
  const starts = Array.from(segmenter().segment(word), ({ index }) => index).filter((index) => index > 0);
  return starts.map((start) => Array.from(word.slice(start)).slice(0, MAX_INNER_LENGTH).join(""));
};

/** The words by which a search finds a text, each by its beginning, separated by spaces. */
export const indexWords = (texts: readonly string[]): string => {
  const words = texts.flatMap(wordsOf);
  return distinct([...words, ...words.flatMap(innerWords)]).join(" ");
};

/** Folded letters of alphabets in which every word is one that SQL makes too: Latin, Greek, Cyrillic, Hebrew, Arabic. */
const ALPHABETIC = /^[ -~\u03b1-\u03c9\u0430-\u045f\u05d0-\u05ea\u0621-\u064a]*$/;

/** The words of a name that SQL does not make of it, separated by spaces; empty for most names in an alphabet. */
export const addedWords = (name: string): string => {
  // A tenth of the time.
  if (ALPHABETIC.test(foldLetters(name))) return "";
  const made = new Set<string>(foldLetters(name).match(WORD));
  const all = indexWords([name]).split(" ");
  return all.filter((word) => !made.has(word)).join(" ");
};
