import { Kind, type TObject, type TSchema, type TUnsafe, Type, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import { EMAIL_PATTERN, MAX_EMAIL_LENGTH, isEmail } from "../lib/email.ts";
import { bigintOf } from "../lib/json.ts";
import { MAX_SEARCH_LENGTH, MAX_WORDS, searchWords } from "../lib/search.ts";
import { hasAtMost, isLine, lineRule } from "../lib/text.ts";
import { parseTime } from "../lib/time.ts";
import { isVisibleText } from "../lib/visible-text.ts";

/** The rule of a schema in words, for messages. A symbol keeps it out of JSON documents. */
export const Rule = Symbol("rule");

/** The parser of a value in a path or a query. A symbol keeps it out of JSON documents. */
export const Parse: unique symbol = Symbol("parse");

export type ParsedSchema = TSchema & { [Parse]?: (text: unknown) => unknown };

/** The rule of each kind: the registry has one check for it. */
const rules = new Map<string, string>();

/**
 * A schema that documents show as `json` and `accepts` checks.
 * @param rule follows the field's name in the message of a fault: "must be ..."
 * @throws Error if another schema of this kind has another rule
 */
export const checked = <Value>(
  kind: string,
  json: Record<string, unknown>,
  rule: string,
  accepts: (value: unknown) => boolean,
) => {
  if (rule !== (rules.get(kind) ?? rule)) throw new Error(`two rules for schemas of the kind ${kind}`);
  rules.set(kind, rule);
  TypeRegistry.Set(kind, (_schema, value) => accepts(value));
  return t.Unsafe<Value>({ ...json, [Kind]: kind, [Rule]: rule });
};

/** A schema of text in a path or a query that handlers get parsed. */
export const parsed = <Value>(schema: TSchema, parse: (text: string) => Value): TUnsafe<Value> =>
  t.Unsafe<Value>({ ...schema, [Parse]: parse });

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const isInt64 = (value: unknown): boolean => {
  const integer = bigintOf(value);
  return integer !== undefined && integer >= INT64_MIN && integer <= INT64_MAX;
};

/** A signed 64-bit integer in JSON: `bigintOf` reads it and `jsonInteger` writes it. */
export const Int64 = (documentation: Record<string, unknown>) =>
  checked<number | RawJSON>(
    "Int64",
    { type: "integer", format: "int64", ...documentation },
    "must be an integer from -9223372036854775808 to 9223372036854775807",
    isInt64,
  );

/** A signed 64-bit integer in a query string. */
export const Int64InQuery = (documentation: Record<string, unknown>) =>
  parsed(
    checked(
      "Int64InQuery",
      { type: "integer", format: "int64", ...documentation },
      "must be an integer from -9223372036854775808 to 9223372036854775807, in plain digits",
      (value) =>
        typeof value === "string" &&
        /^(0|-?[1-9][0-9]{0,18})$/.test(value) &&
        BigInt(value) >= INT64_MIN &&
        BigInt(value) <= INT64_MAX,
    ),
    BigInt,
  );

/** One of several words. `t.UnionEnum` would make the first one the default. */
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
 * The part of `isLine` that a regular expression of every language can express: no control characters, and at least one character
 * that is not white space. The sets are spelled out, because `\s` and `\p{Cc}` differ between languages. `CHARACTER_RULE`
 * describes the rest.
 */
const LINE_PATTERN = String.raw`^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff][^\x00-\x1f\x7f-\x9f]*$`;

/** The rule of `isVisibleText`, for a description. */
const CHARACTER_RULE =
  "Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39).";

/** The documentation of a text, including the characters that it rejects. */
const describedText = ({ description, ...documentation }: Record<string, unknown>) => ({
  ...documentation,
  description: [description, CHARACTER_RULE].join(" ").trim(),
});

/** `true` or `false`. */
export const YesOrNo = (description: string, example: boolean) =>
  Type.Boolean({ [Rule]: "must be true or false", description, examples: [example] });

/** An integer of a body. */
export const IntegerFrom = (minimum: number, maximum: number, documentation: Record<string, unknown>) =>
  Type.Integer({
    minimum,
    maximum,
    [Rule]: `must be an integer from ${minimum} to ${maximum}`,
    ...documentation,
  });

/** A list of a body, without an item that is there twice. */
export const ListOf = <Item extends TSchema>(
  item: Item,
  { min = 0, max, ...documentation }: { min?: number; max: number } & Record<string, unknown>,
) =>
  t.Array(item, {
    minItems: min,
    maxItems: max,
    uniqueItems: true,
    [Rule]: `must be a list of ${min} to ${max} items, none of them twice`,
    ...documentation,
  });

/** A line of text, stored unchanged. */
export const Text = (kind: string, { max, ...documentation }: { max: number } & Record<string, unknown>) =>
  checked<string>(
    kind,
    {
      type: "string",
      minLength: 1,
      maxLength: max,
      pattern: LINE_PATTERN,
      ...describedText(documentation),
    },
    lineRule(max),
    (value) => isLine(value, max),
  );

/** No control characters except tabs and line breaks. */
const LINES_PATTERN = String.raw`^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+$`;
const LINES = new RegExp(LINES_PATTERN, "u");

/** A text that may have several lines, stored unchanged. */
export const MultilineText = (
  kind: string,
  { max, description, ...documentation }: { max: number; description: string } & Record<string, unknown>,
) =>
  checked<string>(
    kind,
    {
      type: "string",
      minLength: 1,
      maxLength: max,
      pattern: LINES_PATTERN,
      description: `${description} ${CHARACTER_RULE} Tabs and line breaks are allowed.`,
      ...documentation,
    },
    `must be a string of 1 to ${max} characters, without control characters (except tabs and line breaks) and without invisible, private-use or unassigned characters`,
    (value) =>
      typeof value === "string" && hasAtMost(value, max) && LINES.test(value) && isVisibleText(value),
  );

TypeRegistry.Set("StoredText", (_schema, value) => typeof value === "string" && value !== "");

/** The schema of a text in responses. It has the same documentation, and accepts texts that earlier versions stored. */
export const storedText = <Schema extends TSchema>(schema: Schema): Schema => ({
  ...schema,
  [Kind]: "StoredText",
});

/**
 * Any text, which the service looks up or parses. In bodies, `t.String` is not an option: Elysia writes the value of a wrong
 * one into its own message, and fails if an object with a field `toString` cannot become text.
 */
export const AnyText = (kind: string, { max, ...documentation }: { max: number } & Record<string, unknown>) =>
  checked<string>(
    kind,
    { type: "string", minLength: 1, maxLength: max, ...documentation },
    `must be a string of 1 to ${max} characters`,
    (value) => typeof value === "string" && value !== "" && hasAtMost(value, max),
  );

/** A text in a response. */
export const ResponseText = (description: string, ...examples: string[]) =>
  t.String({ description, ...(examples.length > 0 && { examples }) });

/** A text that a response need not have. */
export const OptionalText = (...documentation: Parameters<typeof ResponseText>) =>
  t.Optional(ResponseText(...documentation));

/** A list of texts in a response. */
export const ResponseTexts = (description: string, examples: string[]) =>
  t.Array(t.String(), { description, examples: [examples] });

export const Email = (documentation: Record<string, unknown>) =>
  checked<string>(
    "Email",
    {
      type: "string",
      minLength: 3,
      maxLength: MAX_EMAIL_LENGTH,
      pattern: EMAIL_PATTERN,
      ...describedText(documentation),
    },
    `must be an email address: one @ with something on both sides, no spaces, control or invisible characters, at most ${MAX_EMAIL_LENGTH} characters`,
    isEmail,
  );

/** The text of a search: `toSearch` reads it. */
export const SearchText = (documentation: Record<string, unknown>) =>
  checked<string>(
    "Search",
    { type: "string", maxLength: MAX_SEARCH_LENGTH, ...documentation },
    `must be at most ${MAX_SEARCH_LENGTH} characters with at most ${MAX_WORDS} words of letters or digits`,
    (value) =>
      typeof value === "string" &&
      value.isWellFormed() &&
      hasAtMost(value, MAX_SEARCH_LENGTH) &&
      searchWords(value) !== undefined,
  );

/** A time in RFC 3339. */
export const Time = (description: string, example: string) =>
  checked<string>(
    "Time",
    { type: "string", format: "date-time", description, examples: [example] },
    "must be a time such as 2030-12-05T00:00:00Z",
    (value) => typeof value === "string" && parseTime(value) !== undefined,
  );

/** A time in a query string, in milliseconds UTC for handlers. */
export const TimeInQuery = (description: string, example: string) =>
  parsed(Time(description, example), parseTime);

/** An id that the service assigned. */
export const Id = (description: string, example = 7) =>
  Type.Integer({ format: "int64", minimum: 1, description, examples: [example] });

/** How many there are of something. */
export const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

/** An id in a body. The service never assigns an id above 2^53. */
export const IdInBody = (description: string, example = 7) =>
  Type.Integer({
    format: "int64",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    [Rule]: "must be an id: an integer from 1 to 9007199254740991",
    description,
    examples: [example],
  });

/** An optional parameter with a default. Handlers always get it: Elysia sets the default. */
export const withDefault = <Schema extends TSchema>(schema: Schema): Schema =>
  t.Optional(schema) as unknown as Schema;

/** The page size of a list, as plain digits in a query string. */
export const limitOf = (description: string) =>
  withDefault(
    parsed(
      checked(
        "Limit",
        { type: "integer", minimum: 1, maximum: 100, default: 20, description, examples: [20] },
        "must be an integer from 1 to 100, in plain digits",
        (value) => /^([1-9][0-9]?|100)$/.test(String(value)),
      ),
      Number,
    ),
  );

export const Limit = limitOf("Maximum number of items returned.");

/** The start of a page: the cursor from the Link header of the previous page. */
export const Cursor = t.String({
  minLength: 1,
  maxLength: 200,
  description: "Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page.",
});

/** The body of a response that is a file: handlers return a Response. */
export const FileContent = t.String();

/** The body of a 204 response: none. */
export const NoContent = t.Undefined();

/** Ids are plain digits, below 2^53. */
const ID = /^[1-9][0-9]{0,15}$/;

/** Parses an id in a path. Returns 0, which no record has, for any other text. */
export const parseId = (text: string): number =>
  ID.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0;

/** Texts of a query parameter that may be given several times. Handlers read them from the URL: Elysia splits some at commas. */
export const Repeatable = (description: string, example: string, maxItems: number) =>
  checked<string>(
    "Repeatable",
    { type: "array", items: { type: "string" }, maxItems, description, examples: [[example]] },
    "must be a string",
    (value) => typeof value === "string",
  );

/** The names of repeatable parameters. */
export const repeatableOf = (query: unknown): string[] =>
  Object.entries((query as TObject | undefined)?.properties ?? {})
    .filter(([, { type }]) => type === "array")
    .map(([name]) => name);

/** An id in a path. Other text is accepted too: it is 0, which no record has as its id. */
export const IdInPath = (description: string) =>
  parsed(
    checked("IdInPath", { type: "integer", format: "int64", description, examples: [7] }, "", () => true),
    parseId,
  );

/** A project in a path. */
export const SlugInPath = t.String({ description: "The project's slug.", examples: ["docs"] });

/** No query parameters at all. */
export const NoQuery = t.Object({}, { additionalProperties: false });

/** The query of a list without filters. */
export const PageQuery = t.Object(
  { limit: Limit, cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);

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
