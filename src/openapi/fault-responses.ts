import { FAULTS, type FaultCode, statusOf } from "../lib/errors.ts";
import { headerRefs } from "./headers.ts";
import type { Json } from "./json.ts";
import { refTo } from "./schemas.ts";

const FAULT_HEADERS: Partial<Record<number, readonly string[]>> = {
  400: ["Invalid-Fields"],
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  415: ["Accept"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Faults besides those with status 400 that are about a field of the body, if the operation lists them itself. */
const FIELD_FAULTS: ReadonlySet<FaultCode> = new Set([
  "category_name_taken",
  "category_not_found",
  "email_taken",
  "insufficient_scope",
  "not_found",
  "pet_in_order",
  "pet_not_available",
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

/** A body has a sentence of its own in the specification. */
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
    ...(requestBody ? (["request_timeout", "payload_too_large", "unsupported_media_type"] as const) : []),
    "internal_error",
    "storage_unavailable",
  ];
};

export const faultResponses = (
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
