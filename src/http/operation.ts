import type { FaultCode } from "../lib/errors.ts";

/** What a room says of one of its answers; the schema comes from the route itself. */
export interface ResponseNote {
  description: string;
  /** Names of headers that `openapi.ts` knows. */
  headers?: readonly string[];
  example?: unknown;
  /** Media types beside JSON that it is given as. */
  alsoAs?: readonly string[];
  /** The media type of text that it is given as, in place of JSON. */
  textAs?: string;
  links?: Record<string, object>;
}

/** What a room says of an operation. Everything else is derived from its route. */
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  responses: Record<number, ResponseNote>;
  /** An example of the body. */
  bodyExample?: unknown;
  /** Media types of a body that is a file. */
  uploads?: readonly string[];
  /** Conditions of RFC 9110 section 13 that it takes, by the names of headers that `openapi.ts` knows. */
  conditions?: readonly string[];
  /** Codes that this operation alone answers with; the usual ones follow from its form. */
  faults?: readonly FaultCode[];
}

/** The field of a route's `detail` that carries what OpenAPI has no place for; it appears in no document. */
export const NOTES = "x-notes";

/** A route's `detail`. */
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
