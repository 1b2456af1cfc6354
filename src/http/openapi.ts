import { IDEMPOTENT } from "./idempotency.ts";
import { FAULTS, type FaultCode, statusOf } from "./faults.ts";
import { NOTES, type Answer, type Operation } from "./operation.ts";

type Notes = Required<Pick<Operation, "answers" | "bodyAlsoAs" | "faults" | "conditions">> &
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

/** Every header that an answer may carry. */
const HEADERS: Record<string, { description: string; schema: Json }> = {
  "X-Request-Id": {
    description: "The request's id: the client's own if it sent one, else a new one.",
    schema: { type: "string", examples: ["4f5c1b9e-8a70-4b36-9d0c-0b8a3c0f3a77"] },
  },
  "RateLimit-Policy": {
    description: "The key's limit, if it has one: requests (q) in a window of seconds (w).",
    schema: { type: "string", examples: ['"key";q=600;w=60'] },
  },
  RateLimit: {
    description: "What is left of the key's limit: requests (r) and seconds until it is whole again (t).",
    schema: { type: "string", examples: ['"key";r=599;t=60'] },
  },
  Link: {
    description: "Related addresses (RFC 8288).",
    schema: { type: "string", examples: ['</v1/pets?limit=20&cursor=MjA6>; rel="next"'] },
  },
  Location: {
    description: "Where the new resource is.",
    schema: { type: "string", examples: ["/platform/keys/2"] },
  },
  ETag: {
    description: "Strong: of exactly this answer (RFC 9110 section 8.8.3).",
    schema: { type: "string", examples: ['"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"'] },
  },
  "Idempotency-Replayed": {
    description: "`true`: this is the answer that was kept under the request's Idempotency-Key.",
    schema: { type: "string", enum: ["true"], examples: ["true"] },
  },
  Deprecation: {
    description: "Since when the operation is deprecated, in Unix seconds (RFC 9745).",
    schema: { type: "string", examples: ["@1764892800"] },
  },
  Sunset: {
    description: "When the operation will be removed (RFC 8594).",
    schema: { type: "string", examples: ["Thu, 05 Dec 2030 00:00:00 GMT"] },
  },
  "X-Stability": {
    description: "`beta`: the operation may still change.",
    schema: { type: "string", enum: ["beta"], examples: ["beta"] },
  },
  "WWW-Authenticate": {
    description: "How to authenticate, and what was wrong (RFC 6750).",
    schema: { type: "string", examples: ['Bearer realm="adoption-store"'] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "string", examples: ["1"] },
  },
  Accept: {
    description: "What the body may be sent as.",
    schema: { type: "string", examples: ["application/json"] },
  },
};

/** Every condition that an operation may take, as a header of the request. */
const CONDITIONS: Record<string, string> = {
  "If-Match":
    "Entity tags, or `*`: unless one of them is the present `ETag`, nothing is done, and the answer is 412.",
  "If-None-Match":
    "Entity tags, or `*`: if one of them is the present `ETag`, the answer is 304, without a body.",
};

const conditionOf = (name: string): Json => ({
  name,
  in: "header",
  required: false,
  description: CONDITIONS[name],
  schema: { type: "string", examples: ['"4Xz1Kd0pV5hQm7RrJ2uYtWbC9sE"'] },
});

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

const faultAnswers = (operation: Json, own: readonly FaultCode[], headers: readonly string[]): Json => {
  const byStatus = Map.groupBy([...own, ...faultsOf(operation)], statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, faultAnswer(status, codes, headers)]),
  );
};

/** Headers of every answer of an operation. */
const commonHeaders = ({ security, deprecated, ...operation }: Json): string[] => [
  "X-Request-Id",
  ...(Array.isArray(security) && security.length > 0 ? ["RateLimit-Policy", "RateLimit"] : []),
  ...(deprecated ? ["Deprecation", "Sunset", "Link"] : []),
  ...(operation["x-stability"] ? ["X-Stability"] : []),
];

const parameterOf = ({ examples, description, schema, ...parameter }: Json): Json => ({
  ...parameter,
  ...(parameter["in"] === "path" && { required: true }),
  description,
  schema: {
    ...(schemaOf(schema) as Json),
    ...(examples !== undefined && !(schema as Json)["$id"] ? { examples } : {}),
  },
});

/** The same in every media type. */
const content = (types: readonly string[], schema: unknown, example: unknown): Json =>
  Object.fromEntries(
    ["application/json", ...types].map((type) => [
      type,
      { schema, ...(example !== undefined && { example }) },
    ]),
  );

/** The plugin puts a response's schema, less its type, beside its content, where its name still is. */
const contentOf = (response: unknown, { example, alsoAs = [], textAs }: Answer): Json | undefined => {
  if (textAs !== undefined) return { [textAs]: { schema: { type: "string" }, example } };
  return isObject(response) && typeof response["$id"] === "string"
    ? content(alsoAs, refTo(response["$id"]), example)
    : undefined;
};

const answerOf = (response: unknown, answer: Answer, common: readonly string[]): Json => {
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
  { bodyExample, bodyAlsoAs }: Pick<Notes, "bodyExample" | "bodyAlsoAs">,
): Json | undefined => {
  const schema =
    isObject(requestBody) && isObject(requestBody["content"])
      ? Object.values(requestBody["content"])[0]
      : undefined;
  if (!isObject(schema)) return undefined;
  return { required: true, content: content(bodyAlsoAs, schemaOf(schema["schema"]), bodyExample) };
};

/** The scopes that a route asks for; undefined for a public one. */
const scopesOf = (security: unknown): string[] | undefined => (security as { apiKey: string[] }[])[0]?.apiKey;

/** Scopes are roles, which linters do not take from a bearer scheme: they are said in words and in `x-scopes`. */
const securityOf = (security: unknown, description: unknown): Json => {
  const scopes = scopesOf(security);
  if (!scopes) return { security, description };
  const words = scopes.map((scope) => `\`${scope}\``).join(", ");
  return {
    security: [{ apiKey: [] }],
    "x-scopes": scopes,
    description: `${description} Needs the scope ${words}.`,
  };
};

const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A key of your own, new for each act: sent again with the same request, in 24 hours, it is answered with the kept answer, and nothing is done twice; with another request it is answered 422, while the first is still being done 409 (draft-ietf-httpapi-idempotency-key-header).",
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 255,
    examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
  },
};

/** Not of the specified operations, whose answers stay as they are: the parameter tells of them. */
const IDEMPOTENCY_FAULTS = ["idempotency_in_flight", "idempotency_mismatch"] as const;

const operationOf = (raw: unknown): Json => {
  const {
    [NOTES]: notes,
    [IDEMPOTENT]: idempotent,
    parameters,
    responses,
    requestBody,
    ...rest
  } = raw as Json;
  const { answers, uploads, faults, conditions } = notes as Notes;
  const body = uploads ? fileBody(uploads) : bodyOf(requestBody, notes as Notes);
  const operation: Json = {
    ...rest,
    ...securityOf(rest["security"], rest["description"]),
    parameters: [
      ...((parameters as Json[] | undefined) ?? []).map(parameterOf),
      ...conditions.map(conditionOf),
      ...(idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body && { requestBody: body }),
  };
  const common = commonHeaders(operation);
  return {
    ...operation,
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          answerOf((responses as Json | undefined)?.[status], answer, [
            ...common,
            ...(idempotent ? ["Idempotency-Replayed"] : []),
          ]),
        ]),
      ),
      ...faultAnswers(
        operation,
        [...faults, ...(idempotent && rest["x-stability"] ? IDEMPOTENCY_FAULTS : [])],
        common,
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
  const all = mapValues((raw["components"] as { schemas: Json }).schemas, (schema) => schemaOf(schema, true));
  const used = schemasUsed(paths, all);
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
      schemas: Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name))),
    },
  };
};
