import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { ValidationError } from "elysia";
import { Fault } from "../lib/errors.ts";
import { quoted } from "../lib/text.ts";
import { Rule } from "./schemas.ts";

/** The name of a field as the client knows it. */
const fieldName = (part: string, path: string): string => {
  const name = path.replace(/^\//, "").replaceAll("/", ".");
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

const MAX_FIELDS = 5;

/** Names the fields that violate a schema, at most five, and the rule that each of them violates. */
const describeProblems = (problems: Iterable<ValueError>, part: string): string => {
  const found = new Map<string, string>();
  let unknown: TSchema | undefined;
  for (const problem of problems) {
    const field = fieldName(part, problem.path);
    if (problem.type === ValueErrorType.ObjectAdditionalProperties) unknown = problem.schema;
    if (!found.has(field)) found.set(field, describeProblem(problem, part));
    if (found.size === MAX_FIELDS) break;
  }
  const sentences = [...found].map(([field, problem]) =>
    field.startsWith("The ") ? `${field} ${problem}` : `${field}: ${problem}`,
  );
  const hint = unknown ? ` (${knownFields(unknown)})` : "";
  return `${sentences.join("; ")}${hint}`;
};

/** The fault for a request that violates a schema of its route. */
export const validationFault = (error: ValidationError): Fault => {
  const {
    validator,
    value,
    type: part,
  } = error as unknown as {
    validator: { Errors(value: unknown): Iterable<ValueError> };
    value: unknown;
    type: string;
  };
  return new Fault("invalid_request", describeProblems(validator.Errors(value), part));
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
    /** What is wrong with a value, in the words of a response to a request. */
    explain: (value: unknown): string => describeProblems(check().Errors(value), "body"),
  };
};
