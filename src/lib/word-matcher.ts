import { foldLetters } from "./letter-folds.ts";

const ASCII = /^[ -~]*$/;

/** Letters that FTS5 keeps as they are: its tables have them, and it folds none of them. */
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

/** True if each word of a search begins a word of the name; undefined if only the index can tell. */
export type WordMatcher = (name: string) => boolean | undefined;

/** Compares names with the words of a search as the index does, which costs less than to ask it. */
export const wordMatcher = (words: readonly string[]): WordMatcher => {
  if (!words.every(isPlain)) return () => undefined;
  return (name) => {
    const folded = foldLetters(name);
    return isPlain(folded) ? words.every((word) => hasWordWith(folded, word)) : undefined;
  };
};
