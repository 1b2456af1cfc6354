/** Where the API's message goes on to the next field: "name: must be ...; categoryId: must be ...". */
const NEXT = /; (?=[\w.]+: )/;

/** What a refusal of a whole body says of this field, or of what is in it, without its name. */
export const fieldError = (refusal: Error | null, field: string): string | undefined =>
  refusal?.message
    .split(NEXT)
    .filter((part) => part.startsWith(`${field}: `) || part.startsWith(`${field}.`))
    .map((part) => part.slice(part.indexOf(": ") + 2))[0];

/** What is wrong with none of these fields in particular. */
export const generalError = (refusal: Error | null, fields: readonly string[]): Error | undefined =>
  refusal && fields.every((field) => fieldError(refusal, field) === undefined) ? refusal : undefined;
