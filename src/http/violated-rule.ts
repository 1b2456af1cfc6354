import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { FieldProblem } from "../lib/field-problems.ts";
import { bigintOf } from "../lib/json.ts";
import { isVisibleText } from "../lib/visible-text.ts";

type Rule = Omit<FieldProblem, "field">;

/** The keywords of JSON Schema that tell the rules apart. */
interface Keywords {
  type?: string;
  anyOf?: readonly Keywords[];
  enum?: readonly unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** An integer: in parameters, which are text, its plain digits too. */
const integerOf = (value: unknown, part: string): bigint | undefined => {
  if (typeof value !== "string") return bigintOf(value);
  return part !== "body" && /^-?[0-9]+$/.test(value) ? BigInt(value) : undefined;
};

const hasType = ({ type }: Keywords, value: unknown, part: string): boolean => {
  if (type === "integer") return integerOf(value, part) !== undefined;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return type === "null" ? value === null : typeof value === type;
};

const rangeRule = ({ minimum, maximum }: Keywords, integer: bigint): Rule => {
  if (minimum !== undefined && integer < minimum) return { rule: "minimum", min: minimum };
  if (maximum !== undefined && integer > maximum) return { rule: "maximum", max: maximum };
  // The limits of 64-bit integers have too many digits for the header.
  if (BigInt.asIntN(64, integer) !== integer) return { rule: integer < 0n ? "minimum" : "maximum" };
  return { rule: "format" };
};

const textRule = ({ minLength = 0, maxLength = Infinity }: Keywords, text: string): Rule => {
  const { length } = [...text];
  if (length < minLength) return { rule: "too_short", min: minLength };
  if (length > maxLength) return { rule: "too_long", max: maxLength };
  if (text.trim() === "") return { rule: "blank" };
  return isVisibleText(text) ? { rule: "format" } : { rule: "format", reason: "invisible" };
};

const listRule = ({ minItems = 0, maxItems = Infinity }: Keywords, { length }: readonly unknown[]): Rule => {
  if (length < minItems) return { rule: "too_short", min: minItems };
  return length > maxItems ? { rule: "too_long", max: maxItems } : { rule: "duplicate" };
};

/**
 * The rule that a value violates. The schemas of `checked` validate by a function, so the rule is read from the keywords that
 * document them.
 * @param part of the request, such as "body" or "query"
 */
export const violatedRule = ({ type, schema, value }: ValueError, part: string): Rule => {
  if (type === ValueErrorType.ObjectAdditionalProperties) return { rule: "unknown" };
  if (value === undefined) return { rule: "required" };
  const documented = schema as Keywords;
  const keywords = (documented.anyOf ?? [documented]).find((one) => hasType(one, value, part));
  if (!keywords) return { rule: "type" };
  if (keywords.enum) return { rule: "not_one_of" };
  const integer = keywords.type === "integer" ? integerOf(value, part) : undefined;
  if (integer !== undefined) return rangeRule(keywords, integer);
  if (typeof value === "string") return textRule(keywords, value);
  return Array.isArray(value) ? listRule(keywords, value) : { rule: "type" };
};
