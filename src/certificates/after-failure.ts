import { reasonOf } from "../lib/reason.ts";
import { AcmeProblem, type Problem, problemOf } from "../protocols/acme/problem.ts";
import { retryTime } from "../protocols/acme/renewal.ts";
import { BUDGET, type Issued, type PendingOrder, type StoredProblem, UNDECIDED } from "./certificate.ts";
import { Undecided } from "./present.ts";
import { isLimitType } from "./place-order.ts";
import { IMPORT_ONLY, NOT_HELD, NOT_MOVED } from "./preflight.ts";

/** The time until a CA that has not decided is polled again. */
const UNDECIDED_MS = 60_000;
/** The longest Retry-After that is obeyed: one response must not let a certificate expire. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;
/** The time until the other challenge method is tried for the first time. */
const OTHER_METHOD_MS = 10_000;

/** Problem types that do not count as failures, and the shortest time until the next attempt, in milliseconds. */
const POSTPONED: ReadonlyMap<string, number> = new Map([
  [BUDGET, 0],
  [NOT_HELD, 10 * 60_000],
  [NOT_MOVED, 10 * 60_000],
  [IMPORT_ONLY, 24 * 60 * 60_000],
]);

/** Problem types that are about this order or name: the same order would fail again. */
const FINAL: ReadonlySet<string> = new Set([
  "accountDoesNotExist",
  "badCSR",
  "caa",
  "compound",
  "connection",
  "dns",
  "externalAccountRequired",
  "incorrectResponse",
  "invalidProfile",
  "orderNotReady",
  "rejectedIdentifier",
  "tls",
  "unauthorized",
  "unsupportedIdentifier",
  "userActionRequired",
  "order_invalid",
  "unfit_certificate",
]);

/** How the service continues after an attempt without a certificate. */
export type AfterFailure =
  | { kind: "postpone"; problem: StoredProblem; nextAt: number; isReported: boolean }
  | {
      kind: "fail";
      problem: StoredProblem;
      nextAt: number;
      /** The CA that refused the order; undefined if the order can continue. */
      refusedBy: string | undefined;
      /** The CA that no longer knows the account, so that a new one is registered. */
      forgetAccountAt: string | undefined;
    };

const problemIn = (error: unknown): Problem =>
  error instanceof AcmeProblem
    ? problemOf(error)
    : { type: "internal", detail: reasonOf(error), subproblems: [] };

/** What the row of a name says after an attempt. */
interface Attempted {
  /** Before this one. */
  failures: number;
  order: PendingOrder | undefined;
  /** The certificate in use. */
  issued: Pick<Issued, "notAfter"> | undefined;
  /** The problem of the previous attempt. */
  problem: StoredProblem | undefined;
}

/** The problem, with the parts of the previous one that still matter to the next attempt and to the user. */
const withHistory = (problem: Problem, previous: StoredProblem | undefined): StoredProblem => {
  const method = problem.method ?? previous?.method;
  const cause = previous && FINAL.has(previous.type) ? previous : previous?.cause;
  return {
    ...problem,
    ...(method !== undefined && { method }),
    ...(cause && isLimitType(problem.type) && { cause }),
  };
};

/** @param random from 0 up to 1 */
export const afterFailure = (
  error: unknown,
  { failures, order, issued, problem: previous, now }: Attempted & { now: number },
  random: () => number,
): AfterFailure => {
  if (error instanceof Undecided) {
    const undecided = { type: UNDECIDED, detail: error.message, subproblems: [] };
    const problem = withHistory(undecided, previous);
    return { kind: "postpone", problem, nextAt: now + UNDECIDED_MS, isReported: false };
  }
  const problem = withHistory(problemIn(error), previous);
  const { type, status } = problem;
  const retryAfterMs = Math.min(problem.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const postponedMs = POSTPONED.get(type);
  if (postponedMs !== undefined)
    return {
      kind: "postpone",
      problem,
      nextAt: now + Math.max(retryAfterMs, postponedMs),
      isReported: true,
    };
  const hasOtherMethod = problem.method !== undefined && previous?.method === undefined;
  // If the CA no longer knows the order or the account, the next attempt makes a new one.
  const isRefused = FINAL.has(type) || status === 404;
  return {
    kind: "fail",
    problem,
    nextAt: hasOtherMethod
      ? now + Math.max(OTHER_METHOD_MS, retryAfterMs)
      : retryTime({ failures: failures + 1, retryAfterMs, notAfter: issued?.notAfter, now }, random),
    refusedBy: isRefused ? order?.ca : undefined,
    forgetAccountAt: type === "accountDoesNotExist" ? order?.ca : undefined,
  };
};
