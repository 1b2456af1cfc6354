import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import { bigintOf } from "../lib/json.ts";
import { isLine } from "../lib/text.ts";
import { parseTime } from "../lib/time.ts";

/** What a value must be, for messages. Under a symbol, so that no JSON document shows it. */
export const Rule = Symbol("rule");

/**
 * A schema that documents itself by `json` and is checked by `accepts`.
 * @param rule what follows the field's name in the message that refuses it: "must be ..."
 */
export const checked = <Value>(
  kind: string,
  json: Record<string, unknown>,
  rule: string,
  accepts: (value: unknown) => boolean,
) => {
  TypeRegistry.Set(kind, (_schema, value) => accepts(value));
  return t.Unsafe<Value>({ ...json, [Kind]: kind, [Rule]: rule });
};

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const isInt64 = (value: unknown): boolean => {
  const integer = bigintOf(value);
  return integer !== undefined && integer >= INT64_MIN && integer <= INT64_MAX;
};

/** A signed 64-bit integer in its wire form: what `bigintOf` reads and `jsonInteger` writes. */
export const Int64 = (documentation: Record<string, unknown>) =>
  checked<number | RawJSON>(
    "Int64",
    { type: "integer", format: "int64", ...documentation },
    "must be an integer from -9223372036854775808 to 9223372036854775807",
    isInt64,
  );

/** The same in a query string. */
export const Int64InQuery = (documentation: Record<string, unknown>) =>
  checked<string>(
    "Int64InQuery",
    { type: "integer", format: "int64", ...documentation },
    "must be an integer from -9223372036854775808 to 9223372036854775807, in plain digits",
    (value) =>
      typeof value === "string" &&
      /^(0|-?[1-9][0-9]{0,18})$/.test(value) &&
      BigInt(value) >= INT64_MIN &&
      BigInt(value) <= INT64_MAX,
  );

/** One of some words. Not `t.UnionEnum`, which makes the first of them the default. */
export const OneOf = <const Word extends string>(
  kind: string,
  words: readonly Word[],
  documentation: Record<string, unknown>,
) =>
  checked<Word>(
    kind,
    { type: "string", enum: words, ...documentation },
    `must be one of ${words.join(", ")}`,
    (value) => (words as readonly unknown[]).includes(value),
  );

/**
 * `isLine` as a regular expression, without the rule on surrogates: no control characters, and at least one character that
 * is not white space. Spelt out, because languages differ in what `\s` and `\p{Cc}` mean.
 */
const LINE_PATTERN = String.raw`^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff][^\x00-\x1f\x7f-\x9f]*$`;

/** A line of text, kept as it was sent. */
export const Text = (kind: string, { most, ...documentation }: { most: number } & Record<string, unknown>) =>
  checked<string>(
    kind,
    { type: "string", minLength: 1, maxLength: most, pattern: LINE_PATTERN, ...documentation },
    `must be a string of 1 to ${most} characters, not only white space, without control characters or lone surrogates`,
    (value) => isLine(value, most),
  );

/** A time in RFC 3339. */
export const Time = (description: string, example: string) =>
  checked<string>(
    "Time",
    { type: "string", format: "date-time", description, examples: [example] },
    "must be a time such as 2030-12-05T00:00:00Z",
    (value) => typeof value === "string" && parseTime(value) !== undefined,
  );

/** An id that the service assigned. */
export const Id = (description: string, example = 7) =>
  Type.Integer({ format: "int64", minimum: 1, description, examples: [example] });

/** An id in a body. No id beyond 2^53 is ever assigned. */
export const IdInBody = (description: string, example = 7) =>
  Type.Integer({
    format: "int64",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    [Rule]: "must be an id: an integer from 1 to 9007199254740991",
    description,
    examples: [example],
  });

/** The page size of a list, as plain digits in a query string. */
export const Limit = checked<string | number>(
  "Limit",
  {
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: 20,
    description: "How many to return at the most.",
    examples: [20],
  },
  "must be an integer from 1 to 100, in plain digits",
  // Elysia puts the default, a number, where the parameter is absent.
  (value) => /^([1-9][0-9]?|100)$/.test(String(value)),
);

/** Where a list goes on: taken from the Link header of the page before. */
export const Cursor = t.String({
  minLength: 1,
  maxLength: 200,
  description: "Where to go on: take it, as it is, from the `Link` header of the page before.",
});

/** The answer 204: nothing. */
export const NoContent = t.Undefined();

/** An id in a path. Whatever is none is no error of form: there is simply nothing under it. */
export const IdInPath = (description: string) =>
  checked<string>(
    "IdInPath",
    { type: "integer", format: "int64", description, examples: [7] },
    "",
    () => true,
  );

/** Ids are written in plain digits and stay below 2^53. */
const ID = /^[1-9][0-9]{0,15}$/;

/** The id that a path names; 0, which none has, for whatever is no id. */
export const parseId = (text: string): number =>
  ID.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0;

/** No query parameters at all. */
export const NoQuery = t.Object({}, { additionalProperties: false });

export const ErrorBody = t.Object(
  {
    code: t.String({ description: "Machine-readable error code." }),
    message: t.String({ description: "Human-readable description." }),
    status: Type.Integer({
      description: "The HTTP status code of the response.",
      minimum: 400,
      maximum: 599,
    }),
  },
  { $id: "Error", description: "Every error has this form." },
);
