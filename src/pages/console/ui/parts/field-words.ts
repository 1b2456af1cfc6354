import { ApiError, type FieldProblem } from "../api/client.ts";

/** A form's texts about one of its fields. */
export type FieldWords = Readonly<{
  /** Nothing was entered: "Enter a name." */
  missing?: string;
  /** Any other rule: "Enter a valid e-mail address." */
  otherwise?: string;
  /** By the rule, or the reason, of the header `Invalid-Fields`. */
  rules?: Readonly<Record<string, string>>;
}>;

/** A form's texts about its fields, by their names in the API. */
export type FormWords = Readonly<Record<string, FieldWords>>;

/** The texts about a name. */
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

/** The fields that an error is about. */
export const problemsOf = (error: Error | null | undefined): readonly FieldProblem[] =>
  error instanceof ApiError ? error.fields : [];

/** The first problem of a field, or of a value inside it: `scopes.0` is inside `scopes`. */
export const problemAt = (problems: readonly FieldProblem[], field: string): FieldProblem | undefined =>
  problems.find(({ name }) => name === field || name.startsWith(`${field}.`));
