import { foldLetters } from "../../lib/letter-folds.ts";
import type { Term } from "../../lib/search.ts";
import { indexWords } from "../../lib/words.ts";

/** The members of a profile that lists filter and search by. */
export interface SearchedProfile {
  sex?: string | undefined;
  size?: string | undefined;
  tags?: readonly string[] | undefined;
  breeds?: readonly string[] | undefined;
  reference?: string | undefined;
  /** `YYYY-MM-DD` */
  arrivedOn?: string | undefined;
}

/** The filters of a list that are words of the index. */
export interface WordFilters {
  sex?: string | undefined;
  size?: string | undefined;
  tag?: string | undefined;
  reference?: string | undefined;
  /** `YYYY-MM-DD` */
  arrivedSince?: string | undefined;
}

/** Begins every filter word. It is a private character, which no name can have, and which FTS5 takes for a letter. */
const MARK = "\ue000";

const HASH_LENGTH = 16;

/** Words have at most 20 characters, and all of a kind the same length, so that none begins another. */
const hashed = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, HASH_LENGTH);

/** Without regard to case and accents. */
const tagWord = (tag: string): string => `${MARK}t${hashed(foldLetters(tag.normalize("NFKC")))}`;
/** Profiles have the composed form. */
const referenceWord = (reference: string): string => `${MARK}r${hashed(reference.normalize("NFC"))}`;
/** A value ends with a mark too: `male` must not find a longer value. */
const valueWord = (kind: string, value: string): string =>
  `${MARK}${kind}${value.replaceAll("_", "")}${MARK}`;
const dayWord = (day: string): string => `${MARK}a${day.replaceAll("-", "")}`;

/** The beginnings of the words of a day and all later ones: at most 9 for each digit. */
const daysFrom = (day: string): string[] => {
  const digits = day.replaceAll("-", "");
  const later = [...digits].flatMap((digit, at) =>
    Array.from(
      { length: 9 - Number(digit) },
      (_, more) => `${MARK}a${digits.slice(0, at)}${Number(digit) + 1 + more}`,
    ),
  );
  return [dayWord(day), ...later];
};

/** The words that a profile and the filters for it share. */
const sharedWords = ({ sex, size, reference }: Pick<WordFilters, "sex" | "size" | "reference">): string[] => [
  ...(sex === undefined ? [] : [valueWord("s", sex)]),
  ...(size === undefined ? [] : [valueWord("z", size)]),
  ...(reference === undefined ? [] : [referenceWord(reference)]),
];

/** The words of a profile for the index, separated by spaces: those of a search and those of the filters. */
export const profileWords = (profile: SearchedProfile): string => {
  const { tags = [], breeds = [], reference = "", arrivedOn } = profile;
  const days = arrivedOn === undefined ? [] : [dayWord(arrivedOn)];
  const searched = indexWords([...breeds, ...tags, reference]);
  return [searched, ...sharedWords(profile), ...tags.map(tagWord), ...days].join(" ").trim();
};

/** What every animal that matches the filters has in the index. */
export const filterTerms = (filters: WordFilters): Term[] => {
  const { tag, arrivedSince } = filters;
  const terms: Term[] = sharedWords(filters);
  if (tag !== undefined) terms.push(tagWord(tag));
  if (arrivedSince !== undefined) terms.push(daysFrom(arrivedSince));
  return terms;
};
