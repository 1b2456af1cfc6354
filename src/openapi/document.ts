import { READS, type BodyFormat, bodyTypes } from "../http/body.ts";
import { IDEMPOTENT } from "../http/idempotency.ts";
import { FAULTS, type FaultCode, statusOf } from "../lib/errors.ts";
import { HEADERS, IDEMPOTENCY_KEY, conditionOf } from "./headers.ts";
import { NOTES, type ResponseNote, type Operation } from "../http/operation.ts";

type Notes = Required<Pick<Operation, "responses" | "faults" | "conditions">> &
  Pick<Operation, "bodyExample" | "uploads">;

/** A node of a JSON document. */
type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapValues = (object: Json, map: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));

const refTo = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` });

/** A schema as the document shows it: whatever has a name is referred to by it. */
const schemaOf = (schema: unknown, isDefinition = false): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => schemaOf(one));
  if (!isObject(schema)) return schema;
  if (typeof schema["$id"] === "string" && !isDefinition) return refTo(schema["$id"]);
  const { $id: _name, ...rest } = schema;
  return mapValues(rest, (value) => schemaOf(value));
};

const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const FAULT_HEADERS: Partial<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  415: ["Accept"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const STATUS_WORDS: Record<number, string> = {
  400: "The request is not valid.",
  401: "Missing or invalid API key.",
  402: "The plan does not include it.",
  403: "The key lacks the scope.",
  404: "The requested resource could not be found.",
  409: "It conflicts with what there is.",
  412: "It is no longer what `If-Match` names.",
  413: "The body is too large.",
  415: "The body is not sent as what it may be.",
  422: "It contradicts what was sent before.",
  429: "Too many requests.",
  500: "An error on our side.",
  503: "The storage is unavailable.",
};

const faultAnswer = (status: number, codes: readonly FaultCode[], headers: readonly string[]): Json => ({
  description: STATUS_WORDS[status],
  headers: headerRefs([...headers, ...(FAULT_HEADERS[status] ?? [])]),
  content: {
    "application/json": {
      schema: refTo("Error"),
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: code, value: { code, message: FAULTS[code][1], status } }]),
      ),
    },
  },
});

/** The faults that an operation can answer with, as its form tells. */
const faultsOf = ({ security, parameters, requestBody }: Json): FaultCode[] => {
  const named = (place: string, name?: string) =>
    ((parameters as Json[] | undefined) ?? []).some(
      (one) => one["in"] === place && (!name || one["name"] === name),
    );
  const keyed = Array.isArray(security) && security.length > 0;
  return [
    "invalid_request",
    ...(named("query", "cursor") ? (["invalid_cursor"] as const) : []),
    ...(keyed ? (["missing_api_key", "invalid_api_key", "insufficient_scope", "rate_limited"] as const) : []),
    ...(named("path") ? (["not_found"] as const) : []),
    ...(requestBody ? (["payload_too_large", "unsupported_media_type"] as const) : []),
    "internal_error",
    "storage_unavailable",
  ];
};

const faultAnswers = (
  operation: Json,
  own: readonly FaultCode[],
  headersOf: (status: number) => readonly string[],
): Json => {
  const byStatus = Map.groupBy([...own, ...faultsOf(operation)], statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, faultAnswer(status, codes, headersOf(status))]),
  );
};

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

const operationOf = (raw: unknown, method: string): Json => {
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

export interface Section {
  info: Json;
  servers: Json[];
  tags: Json[];
  tagGroups?: Json[];
  /** Only paths that it takes, under the name that it gives them; undefined: not in this document. */
  pathOf(path: string): string | undefined;
}

/** Every schema with a name, nested ones included. */
const namedIn = (node: unknown, found: Json = {}): Json => {
  if (Array.isArray(node)) for (const one of node) namedIn(one, found);
  if (!isObject(node)) return found;
  if (typeof node["$id"] === "string") found[node["$id"]] ??= schemaOf(node, true);
  for (const value of Object.values(node)) namedIn(value, found);
  return found;
};

/** The schema without a ban on unknown fields: a later version may respond with more of them. */
const allowMoreFields = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(allowMoreFields);
  if (!isObject(schema)) return schema;
  const { additionalProperties, ...rest } = schema;
  return mapValues(additionalProperties === false ? rest : schema, allowMoreFields);
};

/** Names of the schemas that a node refers to, through other schemas too. */
const schemasUsed = (node: unknown, schemas: Json, found = new Set<string>()): Set<string> => {
  if (Array.isArray(node)) for (const one of node) schemasUsed(one, schemas, found);
  if (!isObject(node)) return found;
  const name = typeof node["$ref"] === "string" ? node["$ref"].replace("#/components/schemas/", "") : "";
  if (name in schemas && !found.has(name)) {
    found.add(name);
    schemasUsed(schemas[name], schemas, found);
  }
  for (const value of Object.values(node)) schemasUsed(value, schemas, found);
  return found;
};

/** Makes one OpenAPI 3.1 document out of what @elysiajs/swagger wrote of all routes. */
export const openapi = (raw: Json, { info, servers, tags, tagGroups, pathOf }: Section): Json => {
  const paths: Json = {};
  for (const [path, operations] of Object.entries(raw["paths"] as Json)) {
    const name = pathOf(path);
    if (name !== undefined) paths[name] = mapValues(operations as Json, operationOf);
  }
  const all = namedIn((raw["components"] as { schemas: Json }).schemas);
  const used = schemasUsed(paths, all);
  const inRequests = schemasUsed(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods as Json).map((one) => (one as Json)["requestBody"]),
    ),
    all,
  );
  const headers = new Set(JSON.stringify(paths).match(/(?<=#\/components\/headers\/)[\w-]+/g));
  return {
    openapi: "3.1.0",
    info,
    servers,
    tags,
    ...(tagGroups && { "x-tagGroups": tagGroups }),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer <API_KEY>`.",
        },
      },
      headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => headers.has(name))),
      schemas: Object.fromEntries(
        Object.entries(all)
          .filter(([name]) => used.has(name))
          .map(([name, schema]) => [name, inRequests.has(name) ? schema : allowMoreFields(schema)]),
      ),
    },
  };
};
