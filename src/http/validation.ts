import { Errors, type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import type { FieldProblem } from "../lib/field-problems.ts";
import { bigintOf } from "../lib/json.ts";
import { isVisibleText } from "../lib/visible-text.ts";
import { Fault } from "../lib/errors.ts";
import { quoted } from "../lib/text.ts";
import { Rule } from "./schemas.ts";

type ViolatedRule = Omit<FieldProblem, "field">;

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

const rangeRule = ({ minimum, maximum }: Keywords, integer: bigint): ViolatedRule => {
  if (minimum !== undefined && integer < minimum) return { rule: "minimum", min: minimum };
  if (maximum !== undefined && integer > maximum) return { rule: "maximum", max: maximum };
  // The limits of 64-bit integers have too many digits for the header.
  if (BigInt.asIntN(64, integer) !== integer) return { rule: integer < 0n ? "minimum" : "maximum" };
  return { rule: "format" };
};

const textRule = ({ minLength = 0, maxLength = Infinity }: Keywords, text: string): ViolatedRule => {
  const { length } = [...text];
  if (length < minLength) return { rule: "too_short", min: minLength };
  if (length > maxLength) return { rule: "too_long", max: maxLength };
  if (text.trim() === "") return { rule: "blank" };
  return isVisibleText(text) ? { rule: "format" } : { rule: "format", reason: "invisible" };
};

const listRule = (
  { minItems = 0, maxItems = Infinity }: Keywords,
  { length }: readonly unknown[],
): ViolatedRule => {
  if (length < minItems) return { rule: "too_short", min: minItems };
  return length > maxItems ? { rule: "too_long", max: maxItems } : { rule: "duplicate" };
};

/**
 * The rule that a value violates. The schemas of `checked` validate by a function, so the rule is read from the keywords that
 * document them.
 * @param part of the request, such as "body" or "query"
 */
const violatedRule = ({ type, schema, value }: ValueError, part: string): ViolatedRule => {
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

/** A violated rule, for programs and in words. */
interface Violation extends FieldProblem {
  words: string;
  /** The known fields, if this one is unknown. */
  hint: string;
}

const pathOf = ({ path }: ValueError): string => path.replace(/^\//, "").replaceAll("/", ".");

/** The name of a field as the client knows it. */
const fieldName = (part: string, name: string): string => {
  if (name === "") return part === "body" ? "The body" : `The ${part}`;
  const isPlain = /^[\w.]{1,64}$/.test(name);
  return isPlain ? name : quoted(name);
};

const knownFields = (schema: TSchema): string => {
  const names = Object.keys((schema["properties"] as object | undefined) ?? {});
  return names.length > 0 ? `known: ${names.join(", ")}` : "none are known here";
};

const describeProblem = ({ type, schema, message }: ValueError, part: string): string => {
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return `is not a known ${part === "query" ? "query parameter" : "field"}`;
  if (type === ValueErrorType.ObjectRequiredProperty) return "is required";
  const rule = (schema as { [Rule]?: string })[Rule];
  if (rule) return rule;
  if (type === ValueErrorType.Object) return "must be a JSON object";
  return message.replace(/^Expected /, "must be ").replace(/^must be kind .*/, "is not valid");
};

/** The fields that a fault reports, at most. */
const MAX_FIELDS = 20;
/** The fields that a message names, at most. */
const MAX_NAMED = 5;

/** The fields that violate a schema, each with the first rule that it violates. */
const violationsOf = (problems: Iterable<ValueError>, part: string): Violation[] => {
  const found = new Map<string, Violation>();
  for (const problem of problems) {
    const field = pathOf(problem);
    if (found.has(field)) continue;
    const unknown = problem.type === ValueErrorType.ObjectAdditionalProperties ? problem.schema : undefined;
    const hint = unknown ? ` (${knownFields(unknown)})` : "";
    found.set(field, { field, ...violatedRule(problem, part), words: describeProblem(problem, part), hint });
    if (found.size === MAX_FIELDS) break;
  }
  return [...found.values()];
};

/** Names the fields, at most five, and the rule that each of them violates. */
const describeViolations = (violations: readonly Violation[], part: string): string => {
  const named = violations.slice(0, MAX_NAMED);
  const sentences = named.map(({ field, words }) => {
    const name = fieldName(part, field);
    return name.startsWith("The ") ? `${name} ${words}` : `${name}: ${words}`;
  });
  const hint = named.findLast(({ hint }) => hint !== "")?.hint ?? "";
  return `${sentences.join("; ")}${hint}`;
};

const violationFault = (violations: readonly Violation[], part: string): Fault =>
  new Fault("invalid_request", describeViolations(violations, part), undefined, violations);

/** The fields of Elysia's error that its type lacks. */
interface Invalid {
  validator: { Errors(value: unknown): Iterable<ValueError> };
  value: unknown;
  type: string;
}

/** The fault for a request that violates a schema of its route. */
export const validationFault = (error: ValidationError): Fault => {
  const { validator, value, type: part } = error as unknown as Invalid;
  return violationFault(violationsOf(validator.Errors(value), part), part);
};

/**
 * Checks a body with a schema that depends on stored rows. It is not compiled, which would take longer than a check.
 * @throws Fault invalid_request that names the fields
 */
export const assertValid = (schema: TSchema, value: unknown): void => {
  const violations = violationsOf(Errors(schema, [], value), "body");
  if (violations.length > 0) throw violationFault(violations, "body");
};

/** Describes a row for the log: its names and the rules that it violates, but no other values. */
const describeRow = (row: unknown, index: number, problems: readonly ValueError[]) => {
  const { id, slug, hostname } = (row ?? {}) as { id?: unknown; slug?: unknown; hostname?: unknown };
  const ofRow = problems.map((problem) => ({ ...problem, path: problem.path.replace(/^\/\d+/, "") }));
  return { index, id, slug, hostname, violations: describeViolations(violationsOf(ofRow, "row"), "row") };
};

/** Splits a list into its valid rows and descriptions of the others; undefined if it is too long or not a list. */
export const splitRows = (error: ValidationError) => {
  const { validator, value } = error as unknown as Invalid;
  if (!Array.isArray(value)) return undefined;
  const problems = Map.groupBy(validator.Errors(value), ({ path }) => path.split("/")[1]);
  if (problems.has(undefined)) return undefined;
  return {
    valid: value.filter((_row, index) => !problems.has(`${index}`)),
    invalid: [...problems].map(([index, ofRow]) => describeRow(value[Number(index)], Number(index), ofRow)),
  };
};

/**
 * Checks values from elsewhere, such as the rows of a file, with the schema of a request's body. The schema is compiled on first
 * use.
 */
export const schemaChecker = <Schema extends TSchema>(schema: Schema) => {
  let compiled: TypeCheck<Schema> | undefined;
  const check = () => (compiled ??= TypeCompiler.Compile(schema));
  return {
    accepts: (value: unknown): value is Static<Schema> => check().Check(value),
    /** The problem with a value, in the words of a response to a request. */
    explain: (value: unknown): string =>
      describeViolations(violationsOf(check().Errors(value), "body"), "body"),
  };
};
