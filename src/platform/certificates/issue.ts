import { type Poller, duePoller } from "../../lib/poller.ts";
import { reasonOf } from "../../lib/reason.ts";
import { formatTime } from "../../lib/time.ts";
import { assertFits, readCertificate } from "../../protocols/acme/certificate.ts";
import { type Problem, AcmeProblem, problemOf } from "../../protocols/acme/problem.ts";
import { renewalTime, retryTime } from "../../protocols/acme/renewal.ts";
import {
  type Certificate,
  type Issued,
  type PendingOrder,
  type StoredProblem,
  BUDGET,
  UNDECIDED,
} from "./certificate.ts";
import { recordValueOf } from "./dns-challenges.ts";
import {
  type Attempted,
  type Ordering,
  type UndecidedRecords,
  Superseded,
  isLimitType,
  orderCompleter,
  orderPlacer,
} from "./order.ts";
import { type Proof, IMPORT_ONLY, NOT_HELD, NOT_MOVED } from "./preflight.ts";
import type { CertificateQueue } from "./queue.ts";
import type { Attempt, Failure } from "./repository.ts";
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
  [UNDECIDED, UNDECIDED_MS],
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

const problemIn = (error: unknown): Problem =>
  error instanceof AcmeProblem
    ? problemOf(error)
    : { type: "internal", detail: reasonOf(error), subproblems: [] };

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

/** How the service continues after an attempt without a certificate. @param random from 0 up to 1 */
const afterFailure = (
  error: unknown,
  { failures, order, issued, problem: previous }: Certificate,
  now: number,
  random: () => number,
): Failure & { isCounted: boolean } => {
  const problem = withHistory(problemIn(error), previous);
  const { type, status } = problem;
  const retryAfterMs = Math.min(problem.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const postponedMs = POSTPONED.get(type);
  if (postponedMs !== undefined)
    return { isCounted: false, problem, nextAt: now + Math.max(retryAfterMs, postponedMs) };
  const hasOtherMethod = problem.method !== undefined && previous?.method === undefined;
  // If the CA no longer knows the order or the account, the next attempt makes a new one.
  const isRefused = FINAL.has(type) || status === 404;
  return {
    isCounted: true,
    problem,
    nextAt: hasOtherMethod
      ? now + Math.max(OTHER_METHOD_MS, retryAfterMs)
      : retryTime({ failures: failures + 1, retryAfterMs, notAfter: issued?.notAfter, now }, random),
    refusedBy: isRefused ? order?.ca : undefined,
  };
};

/** Time between reads of the CA's renewal information (RFC 9773 section 4.3). */
const RENEWAL_CHECK_MS = 6 * 60 * 60_000;

/**
 * Orders or renews the certificate of a name that is due. Never fails: the reason is stored. After an abort the attempt stays
 * under way, and the next process to read the name continues it.
 */
export const certificateIssuer = (ordering: Ordering, undecided: UndecidedRecords = new Map()) => {
  const { certificates, clientOf, preflight, challenges, wildcard, onChanged } = ordering;
  const { clock, randomFraction, log } = ordering;
  const namesOf = namesIn(wildcard);
  const placeOrder = orderPlacer(ordering);
  const completeOrder = orderCompleter(ordering, undecided);

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

  /** Why a certificate must be ordered now. If there is no reason, stores the time of the next check. */
  const reasonToOrder = async (certificate: Certificate): Promise<string | undefined> => {
    const { hostname, issued, isRequested, attemptSince, order, problem } = certificate;
    if (attemptSince !== null) return "an attempt was interrupted";
    if (isRequested) return "it was requested";
    if (!issued) return "the name has no certificate";
    // A failed renewal has stored its own time for the next attempt.
    if (order || problem) return "the last attempt did not succeed";
    const renewal = await scheduleRenewal(issued);
    const now = clock.now();
    if (renewal <= now) return "its renewal is due";
    log.debug({ hostname, renewalAt: formatTime(renewal) }, "the certificate need not be renewed yet");
    await certificates.putOff(certificate, Math.min(renewal, now + RENEWAL_CHECK_MS));
    return undefined;
  };

  /** True if no project has the name, so that it was removed with its certificate and key. */
  const remove = async (attempt: Attempt): Promise<boolean> => {
    const { hostname } = attempt;
    if (!(await certificates.forget(attempt))) return false;
    onChanged(hostname);
    log.info({ hostname }, "removed the certificate and key of an unused name");
    return true;
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
    log.debug(
      { hostname, wildcard: wildcard.hostname },
      "a wildcard certificate is to replace that of the name",
    );
    if (issued && issued.notAfter > now) await certificates.putOff(certificate, issued.notAfter);
    else {
      const attempt = await certificates.beginAttempt(certificate, now);
      if (attempt) await remove(attempt);
    }
    return true;
  };

  /** Stores why an attempt failed, and when the next one is. */
  const writeFailure = async (attempt: Attempt, error: unknown) => {
    const { hostname } = attempt;
    const now = clock.now();
    const certificate = await certificates.find(hostname);
    if (!certificate) return log.debug({ hostname }, "the name was removed during the attempt");
    const { isCounted, ...failure } = afterFailure(error, certificate, now, randomFraction);
    const { type, detail, status } = failure.problem;
    const level = type === UNDECIDED ? "debug" : "warn";
    log[level]({ hostname, type, detail, status }, "no certificate was issued");
    log.debug(
      {
        hostname,
        isCounted,
        nextAt: failure.nextAt && formatTime(failure.nextAt),
        refusedBy: failure.refusedBy,
      },
      "the next attempt is scheduled, unless the name has changed",
    );
    if (type === "accountDoesNotExist" && certificate.order)
      await certificates.forgetAccount(certificate.order.ca);
    return certificates[isCounted ? "fail" : "postpone"](attempt, failure, now);
  };

  const install = async (attempt: Attempt, { ca, key }: PendingOrder, chain: string) => {
    const { hostname } = attempt;
    await assertFits(chain, key, namesOf(hostname), clock.now());
    const { notBefore, notAfter, ariId = null } = await readCertificate(chain);
    const issued = { key, chain, ca, notBefore, notAfter, ariId };
    const nextAt = await nextCheckAt(issued);
    if (!(await certificates.install(attempt, issued, nextAt, clock.now()))) throw new Superseded();
    onChanged(hostname);
    log.debug({ hostname, ca, nextCheckAt: formatTime(nextAt) }, "a new certificate is in use");
  };

  /** Forgets a name that no project holds. A valid imported certificate stays: the service could not order it again. */
  const forget = async (certificate: Attempted): Promise<boolean> => {
    const { issued } = certificate;
    return !(issued?.ca === null && issued.notAfter > clock.now()) && remove(certificate);
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
    log.debug({ hostname, method: found.method }, "the name can be proved");
    await removeLeftOver(certificate, found);
    signal?.throwIfAborted();
    const placed = await placeOrder(certificate);
    await install(certificate, placed.pending, await completeOrder(placed, certificate, found, signal));
  };

  return async (certificate: Certificate, signal?: AbortSignal): Promise<void> => {
    const { hostname } = certificate;
    if (await isReplaced(certificate)) return;
    const reason = await reasonToOrder(certificate);
    if (reason === undefined) return;
    const attempt = await certificates.beginAttempt(certificate, clock.now());
    if (!attempt)
      return log.debug({ hostname }, "the name has changed: another process may have begun an attempt");
    log.debug({ hostname, reason }, "a certificate is needed: the attempt begins");
    try {
      await obtain({ ...certificate, ...attempt }, signal);
    } catch (error) {
      if (error instanceof Superseded)
        log.debug({ hostname }, "an import, a removal or another attempt ended this one");
      else if (signal?.aborted)
        log.debug({ hostname }, "the service stops: the attempt continues at its next start");
      else await writeFailure(attempt, error);
    }
  };
};

/** Names at the same time: a CA takes seconds for each. */
const MAX_CONCURRENT = 16;
/** Names added in one tick. */
const MAX_NEW = 100;

/** The names that need certificates. */
interface NeededNames {
  /** Custom domains that need a certificate and have no row yet; at most `limit`. */
  missing(limit: number): Promise<string[]>;
  /** The service's own names that need a certificate. */
  own: readonly string[];
  /** The domain of the projects' sites, if it may be in the public DNS. */
  platformDomain: string | undefined;
}

/** Adds names that need a certificate, and orders and renews the certificates that are due. */
export const certificateScheduler = (
  ordering: Ordering,
  queue: CertificateQueue,
  { missing, own, platformDomain }: NeededNames,
): Poller => {
  const { certificates, challenges, wildcard, clock, log } = ordering;
  const undecided: UndecidedRecords = new Map();
  const onError = (error: unknown) => log.error({ err: error }, "a certificate could not be processed");

  /** Removes the records of undecided orders whose names were removed meanwhile: no further attempt does. */
  const removeAbandoned = async (): Promise<void> => {
    for (const [hostname, { name, value }] of undecided) {
      const { keyAuthorization } = (await certificates.find(hostname)) ?? {};
      if (keyAuthorization && recordValueOf(keyAuthorization) === value) continue;
      undecided.delete(hostname);
      await challenges?.remove(name, value);
    }
  };

  const missingOwn = async (): Promise<string[]> => {
    const found = await Promise.all(own.map((hostname) => certificates.find(hostname)));
    return own.filter((_, index) => !found[index]);
  };

  /** The settings may name more than the stored wildcard certificate has. */
  const requestMissingNames = async ({ hostname, names }: Wildcard) => {
    const { issued } = (await certificates.find(hostname)) ?? {};
    if (!issued) return;
    const has = new Set((await readCertificate(issued.chain)).names);
    if (names.some((name) => !has.has(name))) await certificates.request(hostname, clock.now());
  };

  const due = async (now: number, limit: number): Promise<Certificate[]> => {
    const newOwn = await missingOwn();
    const names = [...newOwn, ...(await missing(MAX_NEW))];
    if (platformDomain && !wildcard)
      names.push(...(await certificates.missingBelow(platformDomain, MAX_NEW)));
    await certificates.want(names, now);
    // The operator is waiting for them, so they may use the reserve.
    for (const hostname of newOwn) await certificates.request(hostname, now);
    await removeAbandoned();
    return queue.due(now, limit);
  };

  const issuePoller = duePoller({
    due,
    idOf: ({ hostname }) => hostname,
    process: certificateIssuer(ordering, undecided),
    maxPerTick: MAX_CONCURRENT,
    maxConcurrent: MAX_CONCURRENT,
    clock,
    onError,
  });
  return {
    ...issuePoller,
    start() {
      // New settings may have solved the last problem.
      certificates.retryAfterRestart(clock.now()).catch(onError);
      if (wildcard) requestMissingNames(wildcard).catch(onError);
      issuePoller.start();
    },
  };
};
