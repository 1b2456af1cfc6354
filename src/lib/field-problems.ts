/** The possible problems of a field of a request, by their names in the header `Invalid-Fields`. */
export const FIELD_RULES = {
  required: "The field or parameter is missing.",
  unknown: "The operation has no such field or parameter.",
  duplicate: "The parameter, or an item of the list, is given twice.",
  type: "The value has the wrong type, such as text instead of an integer.",
  blank: "The text is only white space.",
  too_short: "The text has fewer than `min` characters, or the list fewer than `min` items.",
  too_long: "The text has more than `max` characters, or the list more than `max` items.",
  minimum: "The number is below `min`, or the time is too early.",
  maximum: "The number is above `max`, or the time is too late.",
  not_one_of: "The value is not one of the words that the schema lists.",
  format:
    "The value does not have the required form. The `reason` is `invisible` if a text has invisible characters. For a host name, it is the reason why the name is refused.",
  reserved: "The name is reserved. For a host name, `reason` says more.",
  taken: "Something else already has this name.",
  not_found: "There is nothing with this id or name.",
  conflict: "The value is valid, but the current state does not allow it.",
  forbidden: "The caller may not give this value: it exceeds the caller's permissions.",
} as const;

export type FieldRule = keyof typeof FIELD_RULES;

/** A field of a request, and the rule that it violates. */
export interface FieldProblem {
  /** A name such as `adopter.email`; "" for the body as a whole. */
  field: string;
  rule: FieldRule;
  min?: number | undefined;
  max?: number | undefined;
  /** One word for a detail that the rule leaves open. */
  reason?: string | undefined;
}

const MAX_NAME_LENGTH = 64;
/** Reverse proxies often refuse responses whose headers have more than 4 KiB. */
const MAX_HEADER_LENGTH = 1024;

const UNPRINTABLE = /[^\x20-\x7e]/g;

const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** An sf-string (RFC 9651 section 3.3.3). A client may have made up the name, so it is escaped as in JSON and cut. */
const sfString = (name: string): string => {
  const ascii = name.slice(0, MAX_NAME_LENGTH).replace(UNPRINTABLE, escape).slice(0, MAX_NAME_LENGTH);
  return `"${ascii.replace(/["\\]/g, String.raw`\$&`)}"`;
};

/** RFC 9651 section 3.3.1: an integer has at most 15 digits. A larger limit is omitted. */
const limit = (name: string, value: number | undefined): string =>
  value !== undefined && Number.isInteger(value) && Math.abs(value) < 1e15 ? `;${name}=${value}` : "";

const itemOf = ({ field, rule, min, max, reason }: FieldProblem): string =>
  `${sfString(field)};rule=${rule}${limit("min", min)}${limit("max", max)}${reason ? `;reason=${reason}` : ""}`;

/**
 * The header `Invalid-Fields`: a list of strings with parameters (RFC 9651 section 3.1), such as
 * `"name";rule=too_long;max=200, "adopter.email";rule=format`. Problems beyond 1024 characters are omitted.
 */
export const invalidFields = (problems: readonly FieldProblem[]): string => {
  let header = "";
  for (const problem of problems) {
    const longer = header === "" ? itemOf(problem) : `${header}, ${itemOf(problem)}`;
    if (longer.length > MAX_HEADER_LENGTH) break;
    header = longer;
  }
  return header;
};
