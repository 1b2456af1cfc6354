import type { Clock } from "../lib/time.ts";
import { assertFits, readCertificate } from "../protocols/acme/certificate.ts";
import type { AcmeClient } from "../protocols/acme/client.ts";
import { AcmeProblem, type Problem } from "../protocols/acme/problem.ts";
import { renewalTime } from "../protocols/acme/renewal.ts";
import type { Attempt } from "./attempt-repository.ts";
import { afterFailure } from "./after-failure.ts";
import type { Certificate, Issued, PendingOrder } from "./certificate.ts";
import { orderCompleter } from "./complete-order.ts";
import type { UndecidedRecords } from "./present.ts";
import { type Attempted, type PlaceOrder, Superseded } from "./place-order.ts";
import { NOT_HELD, type Preflight, type Proof } from "./preflight.ts";
import { type DnsChallenges, recordValueOf } from "./dns-challenges.ts";
import type { Certificates } from "./repository.ts";
import { type Wildcard, isValidAt, namesIn } from "./wildcard.ts";

/**
 * Orders or renews the certificate of a name that is due. Never fails: the reason is stored. After an abort the attempt stays
 * under way, and the next process to read the name continues it.
 */
export type IssueCertificate = (certificate: Certificate, signal?: AbortSignal) => Promise<void>;

export interface IssueOptions {
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

const renewals = ({ certificates, clientOf, clock, randomFraction }: IssueOptions) => {
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
  return {
    /** When the scheduler checks a new certificate next. */
    nextCheckAt: async (issued: Issued) =>
      Math.min(await scheduleRenewal(issued), clock.now() + RENEWAL_CHECK_MS),
    /** True if a certificate must be ordered now. If not, stores the time of the next check. */
    async isDue(certificate: Certificate): Promise<boolean> {
      const { issued, isRequested, attemptSince, order, problem } = certificate;
      // A failed renewal has stored its own time for the next attempt.
      if (!issued || order || problem || isRequested || attemptSince !== null) return true;
      const renewal = await scheduleRenewal(issued);
      const now = clock.now();
      if (renewal <= now) return true;
      await certificates.putOff(certificate, Math.min(renewal, now + RENEWAL_CHECK_MS));
      return false;
    },
  };
};

/**
 * Leaves names to a valid wildcard: their own certificates stay until they expire, and are not renewed. Until the wildcard
 * has a certificate, they are renewed as before.
 */
const replacedNames =
  ({ certificates, wildcard, onForgotten, clock }: IssueOptions) =>
  async (certificate: Certificate): Promise<boolean> => {
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
const failureWriter =
  ({ certificates, onFailed, clock, randomFraction }: IssueOptions) =>
  async (attempt: Attempt, error: unknown) => {
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
  const { certificates, placeOrder, preflight, challenges, onIssued, onForgotten, clock } = options;
  const namesOf = namesIn(options.wildcard);
  const { isDue, nextCheckAt } = renewals(options);
  const completeOrder = orderCompleter({ ...options, namesOf, undecided });
  const isReplaced = replacedNames(options);
  const writeFailure = failureWriter(options);

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
