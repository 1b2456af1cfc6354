import { type BodyFormat, READS, bodyTypes } from "../http/body.ts";
import { IDEMPOTENT } from "../http/idempotency.ts";
import { NOTES, type Operation, type ResponseNote } from "../http/operation.ts";
import { faultResponses } from "./fault-responses.ts";
import { IDEMPOTENCY_KEY, conditionOf, headerRefs } from "./headers.ts";
import { type Json, isObject } from "./json.ts";
import { refTo, schemaOf } from "./schemas.ts";

type Notes = Required<Pick<Operation, "responses" | "faults" | "conditions">> &
  Pick<Operation, "bodyExample" | "uploads">;

const NOT_MODIFIED: ResponseNote = {
  description: "Not modified: the client already has the current version.",
  headers: ["ETag"],
};

/** The headers of every response of an operation. */
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

/** The same schema and example for each media type. */
const content = (types: readonly string[], schema: unknown, example: unknown): Json =>
  Object.fromEntries(types.map((type) => [type, { schema, ...(example !== undefined && { example }) }]));

/** The plugin puts a response's schema beside its content, without the type but with the name. */
const contentOf = (response: unknown, { example, alsoAs = [], textAs }: ResponseNote): Json | undefined => {
  // OpenAPI 3.1 cannot describe the events of a stream.
  if (textAs === "text/event-stream") return { [textAs]: { example } };
  if (textAs !== undefined) return { [textAs]: { schema: { type: "string" }, example } };
  return isObject(response) && typeof response["$id"] === "string"
    ? content(["application/json", ...alsoAs], refTo(response["$id"]), example)
    : undefined;
};

const responseOf = (response: unknown, note: ResponseNote, common: readonly string[]): Json => {
  const body = contentOf(response, note);
  return {
    description: note.description,
    headers: headerRefs([...new Set([...common, ...(note.headers ?? [])])]),
    ...(body && { content: body }),
    ...(note.links && { links: note.links }),
  };
};

const FILE = { schema: { type: "string", format: "binary" } };

const fileBody = (types: readonly string[]): Json => ({
  required: true,
  content: Object.fromEntries(types.map((type) => [type, FILE])),
});

/** No schema describes the cells of a list as CSV. */
const CSV = { "text/csv": { schema: { type: "string" } } };

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
  const described = content(types, schemaOf(schema["schema"]), bodyExample);
  return { required: true, content: { ...described, ...(types.includes("text/csv") && CSV) } };
};

/** The scopes that a route requires; undefined for a public route. */
const scopesOf = (security: unknown): string[] | undefined => (security as { apiKey: string[] }[])[0]?.apiKey;

/** Linters reject scopes of a bearer scheme, so they are in the description and in `x-scopes`. */
const securityOf = (security: unknown, description: string): Json => {
  const scopes = scopesOf(security);
  if (!scopes) return { security, description };
  const words = scopes.map((scope) => `\`${scope}\``).join(", ");
  return {
    security: [{ apiKey: [] }],
    "x-scopes": scopes,
    description: `${description}${description.includes("\n") ? "\n\n" : " "}Requires the scope ${words}.`,
  };
};

const IDEMPOTENCY_FAULTS = ["idempotency_in_flight", "idempotency_mismatch"] as const;
/** The operations without beta are specified, with fixed examples, so they do not get these. */
const BETA_FAULTS = ["outcome_unknown"] as const;

export const describeOperation = (raw: unknown, method: string): Json => {
  const {
    [NOTES]: notes,
    [IDEMPOTENT]: idempotent,
    [READS]: format,
    parameters,
    responses: schemas,
    requestBody,
    ...rest
  } = raw as Json;
  const { responses, uploads, faults, conditions } = notes as Notes;
  const types = bodyTypes(format as BodyFormat | undefined);
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
  const all = { ...responses, ...(conditions.includes("If-None-Match") && { 304: NOT_MODIFIED }) };
  const ownFaults = [
    ...faults,
    ...(idempotent ? IDEMPOTENCY_FAULTS : []),
    ...(idempotent && rest["x-stability"] ? BETA_FAULTS : []),
  ];
  return {
    ...operation,
    responses: {
      ...Object.fromEntries(
        Object.entries(all).map(([status, note]) => [
          status,
          responseOf((schemas as Json | undefined)?.[status], note, [
            ...common,
            ...(idempotent ? ["Idempotency-Replayed"] : []),
          ]),
        ]),
      ),
      ...faultResponses(operation, ownFaults, (status) =>
        status === 415 && method === "patch" ? [...common, "Accept-Patch"] : common,
      ),
    },
  };
};
