import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { ValidationError } from "elysia";
import { Fault } from "../lib/errors.ts";
import { quoted } from "../lib/json.ts";
import { Rule } from "./schemas.ts";

/** The place of a value in the request, as its sender would name it. */
const placeOf = (part: string, path: string): string => {
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
  return message.replace(/^Expected /, "must be ").replace(/^must be kind .*/, "is not valid");
};

/** Names every field that breaks a schema and what was wrong with it, five at the most. */
export const describeProblems = (problems: Iterable<ValueError>, part: string): string => {
  const found = new Map<string, string>();
  let unknown: TSchema | undefined;
  for (const problem of problems) {
    const place = placeOf(part, problem.path);
    if (problem.type === ValueErrorType.ObjectAdditionalProperties) unknown = problem.schema;
    if (!found.has(place)) found.set(place, describeProblem(problem, part));
    if (found.size === 5) break;
  }
  const reasons = [...found].map(([place, reason]) =>
    place.startsWith("The ") ? `${place} ${reason}` : `${place}: ${reason}`,
  );
  const hint = unknown ? ` (${knownFields(unknown)})` : "";
  return `${reasons.join("; ")}${hint}`;
};

/** Turns what a schema found wrong into one fault. */
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
