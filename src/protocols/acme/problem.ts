import { printable as printableText } from "../../lib/text.ts";

/** RFC 8555 section 6.7: why a CA refused a request, or why it could not be reached. */

export interface Subproblem {
  type: string;
  detail: string;
  /** The host name. */
  identifier?: string;
}

/** A problem as data. Texts are printable and at most 1,000 characters long. */
export interface Problem {
  /**
   * The part after `urn:ietf:params:acme:error:`, such as `rateLimited`, or a word of ours:
   * - `unreachable`: no response: a failure of DNS, connection or trust, or a timeout
   * - `malformed_answer`: a response that breaks RFC 8555, is too large, or redirects
   * - `unexplained`: an error without a problem document
   * - `unfit_certificate`: not a certificate, or not the one that was ordered
   */
  type: string;
  detail: string;
  /** The HTTP status; absent without a response. */
  status?: number;
  subproblems: Subproblem[];
  /** Milliseconds to wait before a retry: Retry-After. */
  retryAfterMs?: number;
  /** The challenge method with which the CA could not reach this service. Another one may work. */
  method?: string;
}

/** The error of a request to a CA, and of what its responses mean for an order. */
export class AcmeProblem extends Error implements Problem {
  override name = "AcmeProblem";
  readonly type: string;
  readonly detail: string;
  readonly subproblems: Subproblem[];
  declare readonly status?: number;
  declare readonly retryAfterMs?: number;
  declare readonly method?: string;
  constructor({ type, detail, subproblems = [], ...more }: Omit<Problem, "subproblems"> & Partial<Problem>) {
    super(`${type}: ${detail}`);
    this.type = type;
    this.detail = detail;
    this.subproblems = subproblems;
    Object.assign(this, more);
  }
}

/** The problem without the Error, to store or show. */
export const problemOf = ({ name: _name, ...problem }: AcmeProblem): Problem => problem;

const MAX_LENGTH = 1000;

/** A CA's text, safe to show anywhere: escaped as in JSON, and at most 1,000 characters long. */
export const printable = (text: string): string => printableText(text.trim(), MAX_LENGTH);

const ACME_ERROR = "urn:ietf:params:acme:error:";
const MAX_SUBPROBLEMS = 100;

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === "string" ? printable(value) : "");

/** RFC 7807 section 4.2: `about:blank` adds nothing to the status. */
const typeOf = (value: unknown): string => {
  const text = typeof value === "string" && value !== "about:blank" ? value : "";
  return printable(text.startsWith(ACME_ERROR) ? text.slice(ACME_ERROR.length) : text);
};

const typeOfStatus = (status = 0): string => {
  if (status === 429) return "rateLimited";
  return status >= 500 ? "serverInternal" : "unexplained";
};

const readSubproblem = (value: unknown): Subproblem => {
  const { type, detail, identifier } = fieldsOf(value);
  const name = textOf(fieldsOf(identifier)["value"]);
  return {
    type: typeOf(type) || "unexplained",
    detail: textOf(detail),
    ...(name !== "" && { identifier: name }),
  };
};

/**
 * Reads a problem document (RFC 8555 section 6.7) of a response or in an object. Anything becomes a problem.
 * @param value parsed JSON; undefined without any
 */
export const readProblem = (
  value: unknown,
  { status, retryAfterMs }: { status?: number | undefined; retryAfterMs?: number | undefined } = {},
): Problem => {
  const { type, detail, title, subproblems } = fieldsOf(value);
  const explanation = textOf(detail) || textOf(title);
  return {
    type: typeOf(type) || typeOfStatus(status),
    detail:
      explanation || (status === undefined ? "no reason was given" : `status ${status} without a reason`),
    subproblems: Array.isArray(subproblems) ? subproblems.slice(0, MAX_SUBPROBLEMS).map(readSubproblem) : [],
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
};

/** RFC 9110 section 10.2.3: seconds or a date. @returns milliseconds from `now`; undefined for anything else */
export const readRetryAfter = (value: string | null, now: number): number | undefined => {
  const text = value?.trim() ?? "";
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
};
