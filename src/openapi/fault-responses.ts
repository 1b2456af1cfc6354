import { FAULTS, type FaultCode, statusOf } from "../lib/errors.ts";
import { headerRefs } from "./headers.ts";
import type { Json } from "./json.ts";
import { refTo } from "./schemas.ts";

const FAULT_HEADERS: Partial<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  415: ["Accept"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const STATUS_DESCRIPTIONS: Record<number, string> = {
  400: "The request is not valid.",
  401: "Missing or invalid API key.",
  402: "The plan does not include this.",
  403: "The API key lacks the scope.",
  404: "The requested resource could not be found.",
  409: "The request conflicts with the current state.",
  412: "The resource has changed since the representation that `If-Match` names.",
  413: "The request body is too large.",
  415: "The media type or encoding of the body is not supported.",
  422: "The request differs from an earlier one with the same key.",
  429: "Too many requests.",
  500: "An internal error.",
  503: "The storage is unavailable.",
};

const faultResponseOf = (status: number, codes: readonly FaultCode[], headers: readonly string[]): Json => ({
  description: STATUS_DESCRIPTIONS[status],
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
    ...(requestBody ? (["payload_too_large", "unsupported_media_type"] as const) : []),
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
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, faultResponseOf(status, codes, headersOf(status))]),
  );
};
