import type { Clock } from "../lib/time.ts";
import { assertFits, readCertificate } from "../protocols/acme/certificate.ts";
import type { AcmeClient } from "../protocols/acme/client.ts";
import { AcmeProblem, type Problem } from "../protocols/acme/problem.ts";
import { renewalTime } from "../protocols/acme/renewal.ts";
import { afterFailure } from "./after-failure.ts";
import type { Certificate, Issued, PendingOrder } from "./certificate.ts";
import { type Handshakes, orderCompleter } from "./complete-order.ts";
import { type PlaceOrder, Superseded } from "./place-order.ts";
import { NOT_HELD, type Preflight } from "./preflight.ts";
import type { Certificates } from "./repository.ts";

/** Orders or renews the certificate of a name that is due. Never fails: the reason is stored. */
export type IssueCertificate = (certificate: Certificate) => Promise<void>;

export interface IssueOptions {
  certificates: Certificates;
  placeOrder: PlaceOrder;
  clientOf(ca: string): AcmeClient;
  preflight: Preflight;
  /** Responds to TLS-ALPN-01 challenges, for names that cannot be proven over HTTP. */
  handshakes: Handshakes;
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

/** Stores why an attempt failed, and when the next one is. */
const failureWriter =
  ({ certificates, onFailed, clock, randomFraction }: IssueOptions) =>
  async (hostname: string, error: unknown) => {
    const now = clock.now();
    const { failures = 0, order } = (await certificates.find(hostname)) ?? {};
    const after = afterFailure(error, { failures, order, now }, randomFraction);
    if (after.kind === "postpone") {
      if (after.isReported) onFailed(hostname, after.problem);
      return certificates.postpone(hostname, after.problem, after.nextAt);
    }
    onFailed(hostname, after.problem);
    if (after.forgetAccountAt !== undefined) await certificates.forgetAccount(after.forgetAccountAt);
    return certificates.fail(hostname, after, now);
  };

export const certificateIssuer = (options: IssueOptions): IssueCertificate => {
  const { certificates, placeOrder, preflight, handshakes, onIssued, onForgotten, clock } = options;
  const { isDue, nextCheckAt } = renewals(options);
  const completeOrder = orderCompleter(options);
  const writeFailure = failureWriter(options);

  const install = async ({ hostname }: Certificate, { ca, key }: PendingOrder, chain: string) => {
    await assertFits(chain, key, [hostname], clock.now());
    const { notBefore, notAfter, ariId = null } = await readCertificate(chain);
    const issued = { key, chain, ca, notBefore, notAfter, ariId };
    const nextAt = await nextCheckAt(issued);
    handshakes.remove(hostname);
    if (await certificates.install(hostname, issued, nextAt, clock.now())) onIssued(hostname);
  };

  /** Forgets a name that no project holds. A valid imported certificate stays: the service could not order it again. */
  const forget = async ({ hostname, issued }: Certificate): Promise<boolean> => {
    if (issued?.ca === null && issued.notAfter > clock.now()) return false;
    if (!(await certificates.forget(hostname))) return false;
    onForgotten(hostname);
    return true;
  };

  const obtain = async (certificate: Certificate) => {
    const { hostname } = certificate;
    const found = await preflight(hostname);
    if ("obstacle" in found) {
      if (found.obstacle.type === NOT_HELD && (await forget(certificate))) return;
      throw new AcmeProblem(found.obstacle);
    }
    const placed = await placeOrder(certificate);
    await install(certificate, placed.pending, await completeOrder(placed, hostname, found.method));
  };

  return async (certificate) => {
    if (!(await isDue(certificate)) || !(await certificates.beginAttempt(certificate, clock.now()))) return;
    try {
      await obtain(certificate);
    } catch (error) {
      handshakes.remove(certificate.hostname);
      if (!(error instanceof Superseded)) await writeFailure(certificate.hostname, error);
    }
  };
};
