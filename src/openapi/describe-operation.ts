import { type BodyFormat, READS, bodyTypes } from "../http/body.ts";
import { IDEMPOTENT } from "../http/idempotency.ts";
import { NOTES, type Operation, type ResponseNote } from "../http/operation.ts";
import { faultAnswers } from "./fault-responses.ts";
import { IDEMPOTENCY_KEY, conditionOf, headerRefs } from "./headers.ts";
import { type Json, isObject } from "./json.ts";
import { refTo, schemaOf } from "./schemas.ts";

type Notes = Required<Pick<Operation, "responses" | "faults" | "conditions">> &
  Pick<Operation, "bodyExample" | "uploads">;

/** The response to a condition that the present representation meets. */
const UNCHANGED: ResponseNote = {
  description: "The client already has the present representation.",
  headers: ["ETag"],
};

/** Headers of every answer of an operation. */
const commonHeaders = ({ security, deprecated, ...operation }: Json): string[] => [
  "X-Request-Id",
  ...(Array.isArray(security) && security.length > 0 ? ["RateLimit-Policy", "RateLimit"] : []),
  ...(deprecated ? ["Deprecation", "Sunset", "Link"] : []),
  ...(operation["x-stability"] ? ["X-Stability"] : []),
];

/** The usual spelling of a header, which routes have in lower case. */
const headerName = (name: string): string =>
  name.replace(/\bid\b/g, "ID").replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());

const parameterOf = ({ examples, description, schema, ...parameter }: Json): Json => ({
  ...parameter,
  ...(parameter["in"] === "header" && { name: headerName(String(parameter["name"])) }),
  ...(parameter["in"] === "path" && { required: true }),
  description,
  schema: {
    ...(schemaOf(schema) as Json),
    ...(examples !== undefined && !(schema as Json)["$id"] ? { examples } : {}),
  },
});

/** The same in every media type. */
const content = (types: readonly string[], schema: unknown, example: unknown): Json =>
  Object.fromEntries(types.map((type) => [type, { schema, ...(example !== undefined && { example }) }]));

/** The plugin puts a response's schema, less its type, beside its content, where its name still is. */
const contentOf = (response: unknown, { example, alsoAs = [], textAs }: ResponseNote): Json | undefined => {
  // OpenAPI 3.1 cannot describe the events of a stream.
  if (textAs === "text/event-stream") return { [textAs]: { example } };
  if (textAs !== undefined) return { [textAs]: { schema: { type: "string" }, example } };
  return isObject(response) && typeof response["$id"] === "string"
    ? content(["application/json", ...alsoAs], refTo(response["$id"]), example)
    : undefined;
};

const answerOf = (response: unknown, answer: ResponseNote, common: readonly string[]): Json => {
  const described = contentOf(response, answer);
  return {
    description: answer.description,
    headers: headerRefs([...new Set([...common, ...(answer.headers ?? [])])]),
    ...(described && { content: described }),
    ...(answer.links && { links: answer.links }),
  };
};

const FILE = { schema: { type: "string", format: "binary" } };

const fileBody = (types: readonly string[]): Json => ({
  required: true,
  content: Object.fromEntries(types.map((type) => [type, FILE])),
});

const bodyOf = (
  requestBody: unknown,
  { bodyExample }: Pick<Notes, "bodyExample">,
  types: readonly string[],
): Json | undefined => {
  const schema =
    isObject(requestBody) && isObject(requestBody["content"])
      ? Object.values(requestBody["content"])[0]
      : undefined;
  if (!isObject(schema)) return undefined;
  return { required: true, content: content(types, schemaOf(schema["schema"]), bodyExample) };
};

/** The scopes that a route asks for; undefined for a public one. */
const scopesOf = (security: unknown): string[] | undefined => (security as { apiKey: string[] }[])[0]?.apiKey;

/** Scopes are roles, which linters do not take from a bearer scheme: they are said in words and in `x-scopes`. */
const securityOf = (security: unknown, description: string): Json => {
  const scopes = scopesOf(security);
  if (!scopes) return { security, description };
  const words = scopes.map((scope) => `\`${scope}\``).join(", ");
  return {
    security: [{ apiKey: [] }],
    "x-scopes": scopes,
    description: `${description} Needs the scope ${words}.`,
  };
};

const IDEMPOTENCY_FAULTS = ["idempotency_in_flight", "idempotency_mismatch"] as const;
/** Not of the specified operations, whose examples stay as they are. */
const BETA_FAULTS = ["outcome_unknown"] as const;

export const operationOf = (raw: unknown, method: string): Json => {
  const {
    [NOTES]: notes,
    [IDEMPOTENT]: idempotent,
    [READS]: reading,
    parameters,
    responses: schemas,
    requestBody,
    ...rest
  } = raw as Json;
  const { responses, uploads, faults, conditions } = notes as Notes;
  const types = bodyTypes(reading as BodyFormat | undefined);
  const body = uploads ? fileBody(uploads) : bodyOf(requestBody, notes as Notes, types);
  const operation: Json = {
    ...rest,
    ...securityOf(rest["security"], rest["description"] as string),
    parameters: [
      ...((parameters as Json[] | undefined) ?? []).map(parameterOf),
      ...conditions.map(conditionOf),
      ...(idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body && { requestBody: body }),
  };
  const common = commonHeaders(operation);
  const all = { ...responses, ...(conditions.includes("If-None-Match") && { 304: UNCHANGED }) };
  const own = [
    ...faults,
    ...(idempotent ? IDEMPOTENCY_FAULTS : []),
    ...(idempotent && rest["x-stability"] ? BETA_FAULTS : []),
  ];
  return {
    ...operation,
    responses: {
      ...Object.fromEntries(
        Object.entries(all).map(([status, answer]) => [
          status,
          answerOf((schemas as Json | undefined)?.[status], answer, [
            ...common,
            ...(idempotent ? ["Idempotency-Replayed"] : []),
          ]),
        ]),
      ),
      ...faultAnswers(operation, own, (status) =>
        status === 415 && method === "patch" ? [...common, "Accept-Patch"] : common,
      ),
    },
  };
};
