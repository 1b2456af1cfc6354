import { ApiError, type FieldProblem } from "../api/client.ts";

/** The choices of a list: each value with its text. */
export type Options = readonly (readonly [value: string, words: string])[];

/** The colour of a badge or a notice. */
export type Tone = "good" | "waiting" | "bad" | "quiet";

const numbers = new Intl.NumberFormat("en");

/** "1,234" */
export const formatCount = (count: number): string => numbers.format(count);

/** "1 animal", "1,234 animals" */
export const pluralize = (count: number, thing: string, things = `${thing}s`): string =>
  `${formatCount(count)} ${count === 1 ? thing : things}`;

/** "50 of 1,234 animals shown", or "1,234 animals" once there are no more. @param all undefined if it is not known */
export const shownOf = (
  shown: number,
  all: number | undefined,
  hasMore: boolean,
  thing: string,
  things = `${thing}s`,
): string => {
  if (!hasMore) return pluralize(shown, thing, things);
  if (all === undefined) return `${pluralize(shown, thing, things)} shown`;
  return `${formatCount(shown)} of ${pluralize(all, thing, things)} shown`;
};

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const shortWords = new Intl.RelativeTimeFormat("en", { style: "short" });

const format = (seconds: number, words: Intl.RelativeTimeFormat): string => {
  const found = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (!found) return seconds > 0 ? "in a moment" : "just now";
  const [unit, length] = found;
  // An expiry in 7 days still reads so a minute later, and an age of one day does not read as two.
  return words.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
};

/** "2 hours ago", "in 3 days". @param seconds from now; negative: past */
export const relative = (seconds: number): string => format(seconds, words);

/** "13 min ago", "in 3 days": for tables. */
export const shortRelative = (seconds: number): string => format(seconds, shortWords).replace(".", "");

/** "41 minutes", "2 hours": a length of time. */
export const duration = (seconds: number): string => {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? (["second", 1] as const);
  const count = Math.max(1, Math.round(seconds / length));
  return pluralize(count, unit);
};

const BEGIN = "\u2068";
const END = "\u2069";

/** Marks a name in a sentence without quotes, for `Sentence`: Unicode's first strong isolate. */
export const isolated = (name: string): string => `${BEGIN}${name.replaceAll(END, "")}${END}`;

/** A form's texts about one of its fields. */
type FieldWords = Readonly<{
  /** Nothing was entered: "Enter a name." */
  missing?: string;
  /** Any other rule: "Enter a valid e-mail address." */
  otherwise?: string;
  /** By the rule, or the reason, of the header `Invalid-Fields`. */
  rules?: Readonly<Record<string, string>>;
}>;

/** A form's texts about its fields, by their names in the API. */
export type FormWords = Readonly<Record<string, FieldWords>>;

export const NAME: FieldWords = {
  missing: "Enter a name.",
  otherwise: "Enter a name without line breaks or tabs.",
};

const atMost = ({ max }: FieldProblem): string =>
  max === undefined ? "This is too long." : `Use at most ${max} characters.`;

const atLeast = ({ min }: FieldProblem): string =>
  min === undefined ? "This is too short." : `Use at least ${min} characters.`;

/** General texts by rule, for fields without specific ones. */
const GENERAL: Readonly<Record<string, (problem: FieldProblem) => string>> = {
  type: () => "Enter a valid value.",
  too_short: atLeast,
  too_long: atMost,
  minimum: ({ min }) => (min === undefined ? "This is too low." : `Enter ${min} or more.`),
  maximum: ({ max }) => (max === undefined ? "This is too high." : `Enter ${max} or less.`),
  not_one_of: () => "Choose one from the list.",
  duplicate: () => "Enter each value only once.",
  reserved: () => "This is reserved. Choose another.",
  taken: () => "This is already in use. Choose another.",
  not_found: () => "There is nothing with this id.",
  conflict: () => "This is not possible now.",
  forbidden: () => "Your own key does not allow this.",
};

const MISSING = "Fill in this field.";
const INVALID = "Check what you entered here.";
const INVISIBLE = "This contains an invisible character. Type the text instead of pasting it.";

const isMissing = ({ rule, min }: FieldProblem): boolean =>
  rule === "required" || rule === "blank" || (rule === "too_short" && min === 1);

/** The problem with a field, in the words of its form or in general ones. */
export const wordsFor = (problem: FieldProblem, words: FieldWords = {}): string => {
  const { rule, reason = "" } = problem;
  const own = words.rules?.[reason] ?? words.rules?.[rule];
  if (own !== undefined) return own;
  if (reason === "invisible") return INVISIBLE;
  if (isMissing(problem)) return words.missing ?? MISSING;
  if (rule === "too_long" && problem.max !== undefined) return atMost(problem);
  return words.otherwise ?? GENERAL[rule]?.(problem) ?? INVALID;
};

export const problemsOf = (error: Error | null | undefined): readonly FieldProblem[] =>
  error instanceof ApiError ? error.fields : [];

/** The first problem of a field, or of a value inside it: `scopes.0` is inside `scopes`. */
export const problemAt = (problems: readonly FieldProblem[], field: string): FieldProblem | undefined =>
  problems.find(({ name }) => name === field || name.startsWith(`${field}.`));
