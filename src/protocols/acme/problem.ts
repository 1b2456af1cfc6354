import { printable as printableText } from "../../lib/text.ts";

/** What a certificate authority says when it refuses, or what kept us from asking it: RFC 8555 section 6.7. */

export interface Subproblem {
  type: string;
  detail: string;
  /** The host name that it is about. */
  identifier?: string;
}

/** As data: texts are printable and at most 1,000 characters long. */
export interface Problem {
  /**
   * What follows `urn:ietf:params:acme:error:`, such as `rateLimited`, or a word of ours:
   * - `unreachable`: no answer: not resolved, not connected, not trusted, not in time
   * - `malformed_answer`: not what RFC 8555 says it is, too large, or leading elsewhere
   * - `unexplained`: refused without a problem document
   * - `unfit_certificate`: not the certificate that was asked for, or none
   */
  type: string;
  detail: string;
  /** The answer's HTTP status; absent if there was no answer. */
  status?: number;
  subproblems: Subproblem[];
  /** Milliseconds before which it must not be tried again: Retry-After. */
  retryAfterMs?: number;
}

/** Thrown by everything that talks to a certificate authority. */
export class AcmeProblem extends Error implements Problem {
  override name = "AcmeProblem";
  readonly type: string;
  readonly detail: string;
  readonly subproblems: Subproblem[];
  declare readonly status?: number;
  declare readonly retryAfterMs?: number;
  constructor({ type, detail, subproblems = [], ...more }: Omit<Problem, "subproblems"> & Partial<Problem>) {
    super(`${type}: ${detail}`);
    this.type = type;
    this.detail = detail;
    this.subproblems = subproblems;
    Object.assign(this, more);
  }
}

/** For who keeps or shows it: the same without an Error's stack. */
export const problemOf = ({ type, detail, status, subproblems, retryAfterMs }: AcmeProblem): Problem => ({
  type,
  detail,
  subproblems,
  ...(status !== undefined && { status }),
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

const MAX_LENGTH = 1000;

/** A CA's text, safe to show anywhere: escaped as in JSON, and at most 1,000 characters long. */
export const printable = (text: string): string => printableText(text.trim(), MAX_LENGTH);

const ACME_ERROR = "urn:ietf:params:acme:error:";
const MAX_SUBPROBLEMS = 100;

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === "string" ? printable(value) : "");

/** RFC 7807 section 4.2: `about:blank` says no more than the status does. */
const typeOf = (value: unknown): string => {
  const text = typeof value === "string" && value !== "about:blank" ? value : "";
  return printable(text.startsWith(ACME_ERROR) ? text.slice(ACME_ERROR.length) : text);
};

const typeOfStatus = (status: number | undefined): string => {
  if (status === 429) return "rateLimited";
  return status !== undefined && status >= 500 ? "serverInternal" : "unexplained";
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
 * A problem document (RFC 8555 section 6.7), of an answer or within an object; whatever it is, it becomes a problem.
 * @param value parsed JSON; undefined if there was none
 */
export const readProblem = (
  value: unknown,
  { status, retryAfterMs }: { status?: number | undefined; retryAfterMs?: number | undefined } = {},
): Problem => {
  const { type, detail, title, subproblems } = fieldsOf(value);
  const said = textOf(detail) || textOf(title);
  return {
    type: typeOf(type) || typeOfStatus(status),
    detail: said || (status === undefined ? "no reason was given" : `answered ${status} without a reason`),
    subproblems: Array.isArray(subproblems) ? subproblems.slice(0, MAX_SUBPROBLEMS).map(readSubproblem) : [],
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
};

/** RFC 9110 section 10.2.3: seconds or a date. @returns milliseconds from now on; undefined if it says neither */
export const readRetryAfter = (value: string | null, now: number): number | undefined => {
  const text = value?.trim() ?? "";
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
};
