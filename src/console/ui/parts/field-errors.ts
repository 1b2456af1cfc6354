/** Separates the fields in a message of the API: "name: must be ...; categoryId: must be ...". */
const NEXT = /; (?=[\w.]+: )/;

/** The part of an error about this field or a field inside it, without its name. */
export const fieldError = (refusal: Error | null, field: string): string | undefined =>
  refusal?.message
    .split(NEXT)
    .filter((part) => part.startsWith(`${field}: `) || part.startsWith(`${field}.`))
    .map((part) => part.slice(part.indexOf(": ") + 2))[0];

/** The error, unless it is about one of these fields. */
export const generalError = (refusal: Error | null, fields: readonly string[]): Error | undefined =>
  refusal && fields.every((field) => fieldError(refusal, field) === undefined) ? refusal : undefined;
