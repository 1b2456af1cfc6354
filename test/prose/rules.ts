import { wordsIn } from "./sentences.ts";
import { NAMES, TERMS, TRANSLATIONS, WEASELS, type Term } from "./words.ts";

/** The hard limit; the aim is 20. */
export const MAX_WORDS = 30;

/** Of a page, in words a sentence. */
export const MAX_MEAN_WORDS = 20;

/** Of a page: the share of its sentences that may be passive. */
export const MAX_PASSIVE_SHARE = 0.25;

/** Where in a sentence, and what to do about it. */
export interface Problem {
  at: number;
  message: string;
}

export type Rule = (sentence: string) => Problem[];

const matches = (text: string, pattern: RegExp, say: (match: RegExpExecArray) => string): Problem[] =>
  [...text.matchAll(pattern)].map((match) => ({ at: match.index, message: say(match) }));

const sentenceLength: Rule = (sentence) => {
  const words = wordsIn(sentence);
  if (words <= MAX_WORDS) return [];
  return [{ at: 0, message: `A sentence of ${words} words: split it. At most ${MAX_WORDS}, better 20.` }];
};

const wordsOf =
  (terms: readonly Term[]): Rule =>
  (sentence) =>
    terms.flatMap(({ pattern, instead }) =>
      matches(sentence, new RegExp(pattern, "gi"), ([found]) => `"${found}": write ${instead}.`),
    );

const weasels: Rule = (sentence) =>
  matches(
    sentence,
    new RegExp(String.raw`\b(?:${WEASELS.join("|")})\b`, "gi"),
    ([found]) => `"${found}" says nothing: leave it out.`,
  );

/** "is no directory" is "is not a directory"; "There is no directory" is right. */
const isNo: Rule = (sentence) =>
  matches(
    sentence,
    /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)[\p{L}]+/giu,
    ([found]) => `"${found}": write "is not a".`,
  );

const doubledWords: Rule = (sentence) =>
  matches(sentence, /(?<![\p{L}.-])(\p{L}+)\s+\1(?![\p{L}-])/giu, ([found]) => `"${found}": once is enough.`);

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A name inside a path, an address or a file name is not a name. */
const productNames: Rule = (sentence) =>
  NAMES.flatMap((name) =>
    matches(
      sentence,
      new RegExp(String.raw`(?<![\w./@-])${escape(name)}(?![\w/-]|\.\w|://)`, "gi"),
      ([found]) => (found === name ? "" : `"${found}": its owner writes ${name}.`),
    ).filter(({ message }) => message !== ""),
  );

export const RULES: Readonly<Record<string, Rule>> = {
  "sentence-length": sentenceLength,
  terminology: wordsOf(TERMS),
  translation: wordsOf(TRANSLATIONS),
  weasels,
  "is-no": isNo,
  "doubled-words": doubledWords,
  "product-names": productNames,
};

/** Shorter ones are headings and labels. */
const MIN_WORDS = 4;

/** A page with fewer sentences says little about its style. */
const MIN_SENTENCES = 10;

const PARTICIPLES =
  "built|cut|done|found|given|held|kept|known|left|lost|made|put|read|seen|sent|set|shown|taken|told|written";
const PASSIVE = new RegExp(
  String.raw`\b(?:is|are|was|were|be|been|being)\s+(?:not\s+|\w+ly\s+)?(?:\w{2,}ed|${PARTICIPLES})\b`,
  "i",
);

/** What is wrong with a page as a whole. @param sentences those of its paragraphs */
export const pageProblems = (sentences: readonly string[]): string[] => {
  const counted = sentences.filter((sentence) => wordsIn(sentence) >= MIN_WORDS);
  if (counted.length < MIN_SENTENCES) return [];
  const mean = counted.reduce((sum, sentence) => sum + wordsIn(sentence), 0) / counted.length;
  const passive = counted.filter((sentence) => PASSIVE.test(sentence)).length / counted.length;
  return [
    ...(mean > MAX_MEAN_WORDS
      ? [`${mean.toFixed(1)} words a sentence on average: at most ${MAX_MEAN_WORDS}.`]
      : []),
    ...(passive > MAX_PASSIVE_SHARE
      ? [`${Math.round(passive * 100)} % of the sentences are passive: at most ${MAX_PASSIVE_SHARE * 100} %.`]
      : []),
  ];
};
