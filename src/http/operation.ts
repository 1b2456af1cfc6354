import type { FaultCode } from "../lib/errors.ts";

/** Describes one response of an operation. Its schema comes from the route. */
export interface ResponseNote {
  description: string;
  /** Names of headers in `openapi/headers.ts`. */
  headers?: readonly string[];
  example?: unknown;
  /** Media types in addition to JSON. */
  alsoAs?: readonly string[];
  /** The media type of a response that is text instead of JSON. */
  textAs?: string;
  links?: Record<string, object>;
}

/** Describes an operation. Everything else is derived from its route. */
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  responses: Record<number, ResponseNote>;
  /** An example of the request body. */
  bodyExample?: unknown;
  /** The media types of a request body that is a file. */
  uploads?: readonly string[];
  /** The conditional headers that it accepts (RFC 9110 section 13), by their names in `openapi/headers.ts`. */
  conditions?: readonly string[];
  /** Error codes in addition to those that follow from the operation's key, parameters and body. */
  faults?: readonly FaultCode[];
}

/** The field of a route's `detail` for notes that OpenAPI has no field for. OpenAPI documents omit it. */
export const NOTES = "x-notes";

/** Makes the `detail` of a route. */
export const operation = ({
  responses,
  bodyExample,
  uploads,
  faults = [],
  conditions = [],
  ...detail
}: Operation) => ({
  ...detail,
  [NOTES]: { responses, bodyExample, uploads, faults, conditions },
});
