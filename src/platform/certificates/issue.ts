import { reasonOf } from "../../lib/reason.ts";
import type { Clock } from "../../lib/time.ts";
import { assertFits, readCertificate } from "../../protocols/acme/certificate.ts";
import type { AcmeClient } from "../../protocols/acme/client.ts";
import { type Problem, AcmeProblem, problemOf } from "../../protocols/acme/problem.ts";
import { renewalTime, retryTime } from "../../protocols/acme/renewal.ts";
import type { Attempt } from "./repository.ts";
import {
  type Certificate,
  type Issued,
  type PendingOrder,
  type StoredProblem,
  BUDGET,
  UNDECIDED,
} from "./certificate.ts";
import { type DnsChallenges, recordValueOf } from "./dns-challenges.ts";
import {
  type Attempted,
  type PlaceOrder,
  type UndecidedRecords,
  Superseded,
  Undecided,
  isLimitType,
  orderCompleter,
} from "./order.ts";
import { type Preflight, type Proof, IMPORT_ONLY, NOT_HELD, NOT_MOVED } from "./preflight.ts";
import type { Certificates } from "./repository.ts";
import { type Wildcard, isValidAt, namesIn } from "./wildcard.ts";

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
type AfterFailure =
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

/** The row of a name after an attempt. */
interface AttemptState {
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
const afterFailure = (
  error: unknown,
  { failures, order, issued, problem: previous, now }: AttemptState & { now: number },
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

/**
 * Orders or renews the certificate of a name that is due. Never fails: the reason is stored. After an abort the attempt stays
 * under way, and the next process to read the name continues it.
 */
export type IssueCertificate = (certificate: Certificate, signal?: AbortSignal) => Promise<void>;

interface IssueOptions {
  certificates: Certificates;
  placeOrder: PlaceOrder;
  clientOf(ca: string): AcmeClient;
  preflight: Preflight;
  /** Publishes the records of DNS-01 challenges; undefined if that is not configured. */
  challenges?: DnsChallenges | undefined;
  /** The certificate of the projects' names, if there is one. */
  wildcard?: Wildcard | undefined;
  /** Called when a name has a new certificate. */
  onIssued(hostname: string): void;
  /** Called when an unused name is removed with its certificate and key. */
  onForgotten(hostname: string): void;
  /** Called with the reason when an attempt fails. */
  onFailed(hostname: string, problem: Problem): void;
  clock: Clock;
  /** From 0 up to 1. */
  randomFraction: () => number;
  sleep(ms: number): Promise<void>;
}

/** Time between reads of the CA's renewal information (RFC 9773 section 4.3). */
const RENEWAL_CHECK_MS = 6 * 60 * 60_000;

/** Removes the records of undecided orders whose names were removed meanwhile: no further attempt does. */
export const abandonedRecords =
  (
    { certificates, challenges }: Pick<IssueOptions, "certificates" | "challenges">,
    undecided: UndecidedRecords,
  ) =>
  async (): Promise<void> => {
    for (const [hostname, { name, value }] of undecided) {
      const { keyAuthorization } = (await certificates.find(hostname)) ?? {};
      if (keyAuthorization && recordValueOf(keyAuthorization) === value) continue;
      undecided.delete(hostname);
      await challenges?.remove(name, value);
    }
  };

export const certificateIssuer = (
  options: IssueOptions,
  undecided: UndecidedRecords = new Map(),
): IssueCertificate => {
  const { certificates, placeOrder, clientOf, preflight, challenges, wildcard } = options;
  const { onIssued, onForgotten, onFailed, clock, randomFraction } = options;
  const namesOf = namesIn(wildcard);
  const completeOrder = orderCompleter({ ...options, namesOf, undecided });

  /** Without the CA's renewal window the lifetime decides. */
  const scheduleRenewal = async ({ ca, ariId, ...validity }: Issued): Promise<number> => {
    const window =
      ca === null || ariId === null
        ? undefined
        : await clientOf(ca)
            .renewalInfo(ariId)
            .catch(() => undefined);
    return renewalTime({ validity, window, now: clock.now() }, randomFraction);
  };
  /** When the scheduler checks a new certificate next. */
  const nextCheckAt = async (issued: Issued) =>
    Math.min(await scheduleRenewal(issued), clock.now() + RENEWAL_CHECK_MS);

  /** True if a certificate must be ordered now. If not, stores the time of the next check. */
  const isDue = async (certificate: Certificate): Promise<boolean> => {
    const { issued, isRequested, attemptSince, order, problem } = certificate;
    // A failed renewal has stored its own time for the next attempt.
    if (!issued || order || problem || isRequested || attemptSince !== null) return true;
    const renewal = await scheduleRenewal(issued);
    const now = clock.now();
    if (renewal <= now) return true;
    await certificates.putOff(certificate, Math.min(renewal, now + RENEWAL_CHECK_MS));
    return false;
  };

  /**
   * Leaves names to a valid wildcard: their own certificates stay until they expire, and are not renewed. Until the wildcard
   * has a certificate, they are renewed as before.
   */
  const isReplaced = async (certificate: Certificate): Promise<boolean> => {
    const { hostname, issued } = certificate;
    if (!wildcard?.covers(hostname)) return false;
    const now = clock.now();
    if (!isValidAt((await certificates.find(wildcard.hostname))?.issued, now)) return false;
    if (issued && issued.notAfter > now) await certificates.putOff(certificate, issued.notAfter);
    else {
      const attempt = await certificates.beginAttempt(certificate, now);
      if (attempt && (await certificates.forget(attempt))) onForgotten(hostname);
    }
    return true;
  };

  /** Stores why an attempt failed, and when the next one is. */
  const writeFailure = async (attempt: Attempt, error: unknown) => {
    const { hostname } = attempt;
    const now = clock.now();
    const { failures = 0, order, issued, problem } = (await certificates.find(hostname)) ?? {};
    const after = afterFailure(error, { failures, order, issued, problem, now }, randomFraction);
    if (after.kind === "postpone") {
      if (after.isReported) onFailed(hostname, after.problem);
      return certificates.postpone(attempt, after, now);
    }
    onFailed(hostname, after.problem);
    if (after.forgetAccountAt !== undefined) await certificates.forgetAccount(after.forgetAccountAt);
    return certificates.fail(attempt, after, now);
  };

  const install = async (attempt: Attempt, { ca, key }: PendingOrder, chain: string) => {
    const { hostname } = attempt;
    await assertFits(chain, key, namesOf(hostname), clock.now());
    const { notBefore, notAfter, ariId = null } = await readCertificate(chain);
    const issued = { key, chain, ca, notBefore, notAfter, ariId };
    const nextAt = await nextCheckAt(issued);
    if (await certificates.install(attempt, issued, nextAt, clock.now())) onIssued(hostname);
  };

  /** Forgets a name that no project holds. A valid imported certificate stays: the service could not order it again. */
  const forget = async (certificate: Attempted): Promise<boolean> => {
    const { hostname, issued } = certificate;
    if (issued?.ca === null && issued.notAfter > clock.now()) return false;
    if (!(await certificates.forget(certificate))) return false;
    onForgotten(hostname);
    return true;
  };

  /** Removes the record of an attempt that a crash has ended. */
  const removeLeftOver = async ({ keyAuthorization }: Certificate, proof: Proof) => {
    if (keyAuthorization === null || proof.method !== "dns-01") return;
    await challenges?.remove(proof.recordName, recordValueOf(keyAuthorization));
  };

  const obtain = async (certificate: Attempted, signal: AbortSignal | undefined) => {
    const { hostname } = certificate;
    const found = await preflight(hostname, certificate.problem?.method);
    if ("obstacle" in found) {
      if (found.obstacle.type === NOT_HELD && (await forget(certificate))) return;
      throw new AcmeProblem(found.obstacle);
    }
    await removeLeftOver(certificate, found);
    signal?.throwIfAborted();
    const placed = await placeOrder(certificate);
    await install(certificate, placed.pending, await completeOrder(placed, certificate, found, signal));
  };

  return async (certificate, signal) => {
    if (await isReplaced(certificate)) return;
    if (!(await isDue(certificate))) return;
    const attempt = await certificates.beginAttempt(certificate, clock.now());
    if (!attempt) return;
    try {
      await obtain({ ...certificate, ...attempt }, signal);
    } catch (error) {
      if (!(error instanceof Superseded) && !signal?.aborted) await writeFailure(attempt, error);
    }
  };
};
