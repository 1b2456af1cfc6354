import { problemAt, problemsOf, wordsFor } from "./field-words.ts";

/** The error about this field or a field inside it. Forms that do not use `Form` yet. */
export const fieldError = (error: Error | null, field: string): string | undefined => {
  const problem = problemAt(problemsOf(error), field);
  return problem && wordsFor(problem);
};

/** The error, unless it is about one of these fields. Forms that do not use `Form` yet. */
export const generalError = (error: Error | null, fields: readonly string[]): Error | undefined =>
  error && fields.every((field) => fieldError(error, field) === undefined) ? error : undefined;
