import { FAULTS, type FaultCode, statusOf } from "../../lib/errors.ts";
import { bodyTypes } from "../../http/body.ts";
import { NOTES, type Notes, type ResponseNote } from "../../http/endpoint.ts";
import { IDEMPOTENCY_KEY, headerRefs, requestHeader } from "./headers.ts";
import { type Json, refTo, isKeyed, isObject, schemaOf } from "./schemas.ts";

const FAULT_HEADERS: Partial<Record<number, readonly string[]>> = {
  400: ["Invalid-Fields"],
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  415: ["Accept"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** In addition to status 400: faults about a field of the body, if the operation lists them itself. */
const FIELD_FAULTS: ReadonlySet<FaultCode> = new Set([
  "category_name_taken",
  "choice_in_use",
  "category_not_found",
  "email_taken",
  "field_name_taken",
  "insufficient_scope",
  "not_found",
  "pet_in_order",
  "pet_not_available",
  "reference_taken",
  "slug_taken",
]);

const STATUS_DESCRIPTIONS: Record<number, string> = {
  400: "A parameter is invalid or unknown.",
  401: "Missing or invalid API key.",
  402: "The plan of the project does not include this.",
  403: "The API key lacks the scope that this operation requires.",
  404: "The requested resource could not be found.",
  408: "The request body did not arrive in time.",
  409: "The request conflicts with the current state of the resource.",
  412: "The resource is no longer the one that `If-Match` names.",
  413: "The request body is too large.",
  415: "Unsupported Content-Type.",
  422: "A different request was sent with this `Idempotency-Key`.",
  429: "Too many requests.",
  500: "Internal error.",
  503: "The service is not ready, or its storage is unavailable.",
};

/** A body has its own sentence in the specification. */
const describeStatus = (status: number, { requestBody }: Json): string | undefined =>
  status === 400 && requestBody
    ? "Body lacks required fields or contains invalid values."
    : STATUS_DESCRIPTIONS[status];

const faultResponseOf = (
  description: string | undefined,
  status: number,
  codes: readonly FaultCode[],
  headers: readonly string[],
): Json => ({
  description,
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

/** The faults that follow from an operation's key, parameters and body. */
const faultsOf = (operation: Json): FaultCode[] => {
  const { parameters, requestBody } = operation;
  const named = (place: string, name?: string) =>
    ((parameters as Json[] | undefined) ?? []).some(
      (one) => one["in"] === place && (!name || one["name"] === name),
    );
  return [
    "invalid_request",
    ...(named("query", "cursor") ? (["invalid_cursor"] as const) : []),
    ...(isKeyed(operation)
      ? (["missing_api_key", "invalid_api_key", "insufficient_scope", "rate_limited"] as const)
      : []),
    ...(named("path") ? (["not_found"] as const) : []),
    ...(requestBody ? (["request_timeout", "payload_too_large", "unsupported_media_type"] as const) : []),
    "internal_error",
    "storage_unavailable",
  ];
};

const faultResponses = (
  operation: Json,
  own: readonly FaultCode[],
  headersOf: (status: number) => readonly string[],
): Json => {
  const byStatus = Map.groupBy([...own, ...faultsOf(operation)], statusOf);
  const withFields = new Set(
    operation["requestBody"] ? own.filter((code) => FIELD_FAULTS.has(code)).map(statusOf) : [],
  );
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      faultResponseOf(describeStatus(status, operation), status, codes, [
        ...headersOf(status),
        ...(withFields.has(status) ? ["Invalid-Fields"] : []),
      ]),
    ]),
  );
};

const NOT_MODIFIED: ResponseNote = {
  description: "Not modified: the client already has the current version.",
  headers: ["ETag"],
};

/** The headers of every response of an operation. */
const commonHeaders = (operation: Json): string[] => [
  "X-Request-Id",
  ...(isKeyed(operation) ? ["RateLimit-Policy", "RateLimit"] : []),
  ...(operation["deprecated"] ? ["Deprecation", "Sunset", "Link"] : []),
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

const FILE = { schema: { type: "string", format: "binary" } };

/** The plugin puts a response's schema next to its content, without the type but with the name. */
const contentOf = (
  response: unknown,
  { example, alsoAs = [], textAs, binaryAs }: ResponseNote,
): Json | undefined => {
  if (binaryAs) return content(binaryAs, FILE.schema, undefined);
  if (textAs !== undefined) {
    const { contentMediaType, contentSchema } = schemaOf(response) as Json;
    return { [textAs]: { schema: { type: "string", contentMediaType, contentSchema }, example } };
  }
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

/** A form with one file. */
export const UPLOAD_FORM = {
  $id: "UploadForm",
  type: "object",
  properties: { file: FILE.schema, alt: { type: "string" } },
  required: ["file"],
};

const fileBody = (types: readonly string[]): Json => ({
  required: true,
  content: Object.fromEntries(
    types.map((type) => [type, type === "multipart/form-data" ? { schema: refTo(UPLOAD_FORM.$id) } : FILE]),
  ),
});

/** No schema describes the cells of a list as CSV. */
const CSV = { "text/csv": { schema: { type: "string" } } };

const bodyOf = (requestBody: unknown, bodyExample: unknown, types: readonly string[]): Json | undefined => {
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
  const { [NOTES]: notes, parameters, responses: schemas, requestBody, ...rest } = raw as Json;
  const { responses, reads, idempotent, bodyExample, uploads, faults = [], conditions = [] } = notes as Notes;
  const body = uploads ? fileBody(uploads) : bodyOf(requestBody, bodyExample, bodyTypes(reads));
  const operation: Json = {
    ...rest,
    ...securityOf(rest["security"], rest["description"] as string),
    parameters: [
      ...((parameters as Json[] | undefined) ?? []).map(parameterOf),
      ...conditions.map(requestHeader),
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
