import type { Clock } from "../lib/time.ts";
import type { Order } from "../protocols/acme/objects.ts";
import { assertFits, readCertificate } from "../protocols/acme/certificate.ts";
import type { Account, AcmeClient } from "../protocols/acme/client.ts";
import { certificateRequest, keyAuthorization } from "../protocols/acme/keys.ts";
import { AcmeProblem, type Problem, problemOf } from "../protocols/acme/problem.ts";
import { renewalTime, retryTime } from "../protocols/acme/renewal.ts";
import { IMPORT_ONLY, type Method, NOT_HELD, type Objection } from "./preflight.ts";
import type { Certificate, Issued, PendingOrder } from "./certificate.ts";
import { BUDGET, type Place, Superseded } from "./place-order.ts";
import type { Certificates } from "./repository.ts";
import { reasonOf } from "../lib/reason.ts";

/** Deals with a name whose time has come. Never fails: why it did not work is written down. */
export type Issue = (certificate: Certificate) => Promise<void>;

export interface IssueSettings {
  certificates: Certificates;
  place: Place;
  clientOf(authority: string): AcmeClient;
  objection: Objection;
  /** Answers TLS-ALPN-01 (RFC 8737), where a name cannot be proven over HTTP. */
  handshakes: Handshakes;
  /** Told that a name has a new certificate. */
  changed(hostname: string): void;
  /** Told that a name that nobody holds is forgotten, with its certificate. */
  forgotten(hostname: string): void;
  /** Told why an attempt failed. */
  failed(hostname: string, problem: Problem): void;
  clock: Clock;
  /** From 0 up to 1. */
  random: () => number;
  sleep(ms: number): Promise<void>;
}

/** Certificates that prove a name in a TLS handshake, while an authority asks for them. */
export interface Handshakes {
  add(hostname: string, keyAuthorization: string): Promise<void>;
  remove(hostname: string): void;
}

/** Between looks at what an authority is still doing. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5000;
/** After so long the order is left alone until `LATER_MS` have gone by. */
const PATIENCE_MS = 120_000;
const LATER_MS = 60_000;
/** A certificate in use is looked at so often: the authority may want it renewed early (RFC 9773 section 4.3). */
const LOOK_MS = 6 * 60 * 60_000;
/** An authority's Retry-After counts for no longer. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Types of problems that are no attempt's, and after how many milliseconds it is looked at again. */
const POSTPONED: Readonly<Record<string, number>> = {
  [BUDGET]: 0,
  [NOT_HELD]: 10 * 60_000,
  [IMPORT_ONLY]: 24 * 60 * 60_000,
};

/** The authority has not decided yet. */
class Undecided extends Error {
  override name = "Undecided";
}

/** Problems that are about this order or name, so that placing it again as it is would be in vain. */
const FINAL = new Set([
  "accountDoesNotExist",
  "badCSR",
  "caa",
  "compound",
  "connection",
  "dns",
  "externalAccountRequired",
  "incorrectResponse",
  "orderNotReady",
  "rejectedIdentifier",
  "tls",
  "unauthorized",
  "unsupportedIdentifier",
  "userActionRequired",
  "order_invalid",
  "unfit_certificate",
]);

const problemBehind = (error: unknown): Problem =>
  error instanceof AcmeProblem
    ? problemOf(error)
    : {
        type: "internal",
        detail: reasonOf(error),
        subproblems: [],
      };

/** The order's own problem, or that of the authorization that failed. */
const refusalOf = (status: string, error: Problem | undefined): AcmeProblem =>
  new AcmeProblem(
    error ?? { type: "order_invalid", detail: `The authority made it ${status}, and did not say why.` },
  );

export const issuer = ({
  certificates,
  place,
  clientOf,
  objection,
  handshakes,
  changed,
  forgotten,
  failed,
  clock,
  random,
  sleep,
}: IssueSettings): Issue => {
  /** Reads until it is decided. @throws Undecided after a while */
  const decided = async <Value extends { retryAfterMs?: number }>(
    read: () => Promise<Value>,
    isDecided: (value: Value) => boolean,
  ): Promise<Value> => {
    const end = clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const value = await read();
      if (isDecided(value)) return value;
      const pause = Math.max(wait, value.retryAfterMs ?? 0);
      if (clock.now() + pause > end) throw new Undecided("The authority has not decided yet.");
      await sleep(pause);
    }
  };

  /** Answers the authority's challenge for one name. */
  const authorize = async (
    client: AcmeClient,
    account: Account,
    { hostname, method, url }: { hostname: string; method: Method; url: string },
  ) => {
    const authorization = await client.authorization(account, url);
    if (authorization.status === "valid") return;
    const challenge = authorization.challenges.find(({ type }) => type === method);
    if (!challenge)
      throw new AcmeProblem({ type: "no_challenge", detail: `The authority offers no ${method} challenge.` });
    if (challenge.status === "pending") {
      const answer = keyAuthorization(challenge.token, account.key);
      if (method === "http-01") await certificates.saveChallenge(hostname, challenge.token, answer);
      else await handshakes.add(hostname, answer);
      await client.respond(account, challenge.url);
    }
    const { status, challenges } = await decided(
      () => client.authorization(account, url),
      // Some leave what failed pending, with its error, to be tried again.
      (read) => read.status !== "pending" || read.challenges.some((one) => one.error),
    );
    if (status !== "valid") throw refusalOf(status, challenges.find(({ error }) => error)?.error);
  };

  /** From whatever state the order is in to its certificate. */
  const complete = async (
    account: Account,
    pending: PendingOrder,
    placed: Order,
    { hostname, method }: { hostname: string; method: Method },
  ) => {
    const client = clientOf(pending.authority);
    const reread = () => client.readOrder(account, placed.url);
    let order = placed;
    if (order.status === "pending") {
      for (const url of order.authorizations) await authorize(client, account, { hostname, method, url });
      order = await decided(reread, ({ status }) => status !== "pending");
    }
    if (order.status === "ready")
      order = await client.finalize(account, order, await certificateRequest(pending.key, [hostname]));
    if (order.status === "processing" || order.status === "ready")
      order = await decided(reread, ({ status }) => status !== "processing" && status !== "ready");
    if (order.status !== "valid" || order.certificate === undefined)
      throw refusalOf(order.status, order.error);
    return client.certificate(account, order.certificate);
  };

  /** When to renew; what the authority says of it is advice: without it the lifetime decides. */
  const renewalOf = async (issued: Issued): Promise<number> => {
    const { authority, ariId } = issued;
    const window =
      authority === null || ariId === null
        ? undefined
        : await clientOf(authority)
            .renewalInfo(ariId)
            .catch(() => undefined);
    return renewalTime({ validity: issued, window, now: clock.now() }, random);
  };

  const install = async ({ hostname }: Certificate, { authority, key }: PendingOrder, chain: string) => {
    await assertFits(chain, key, [hostname], clock.now());
    const { notBefore, notAfter, ariId = null } = await readCertificate(chain);
    const issued = { key, chain, authority, notBefore, notAfter, ariId };
    const nextAt = Math.min(await renewalOf(issued), clock.now() + LOOK_MS);
    handshakes.remove(hostname);
    if (await certificates.install(hostname, issued, nextAt, clock.now())) changed(hostname);
  };

  /** True if something is to be ordered now; otherwise when it is looked at again is written down. */
  const isToOrder = async (certificate: Certificate): Promise<boolean> => {
    const { issued, isRequested, attemptSince, order, problem } = certificate;
    // A failed renewal is retried by the plan for that.
    if (!issued || order || problem || isRequested || attemptSince !== null) return true;
    const renewal = await renewalOf(issued);
    const now = clock.now();
    if (renewal <= now) return true;
    await certificates.putOff(certificate, Math.min(renewal, now + LOOK_MS));
    return false;
  };

  /** Forgets a name that nobody holds; not while it has what was imported, which only who brought it could bring again. */
  const forget = async ({ hostname, issued }: Certificate): Promise<boolean> => {
    if (issued?.authority === null && issued.notAfter > clock.now()) return false;
    if (!(await certificates.forget(hostname))) return false;
    forgotten(hostname);
    return true;
  };

  const obtain = async (certificate: Certificate) => {
    const { hostname } = certificate;
    const found = await objection(hostname);
    if ("against" in found) {
      if (found.against.type === NOT_HELD && (await forget(certificate))) return;
      throw new AcmeProblem(found.against);
    }
    const { method } = found;
    const { account, pending, order } = await place(certificate);
    await install(certificate, pending, await complete(account, pending, order, { hostname, method }));
  };

  const giveUp = async (hostname: string, error: unknown) => {
    const now = clock.now();
    const { failures = 0, order } = (await certificates.find(hostname)) ?? {};
    if (error instanceof Undecided) {
      const undecided = { type: "undecided", detail: error.message, subproblems: [] };
      return certificates.postpone(hostname, undecided, now + LATER_MS);
    }
    const problem = problemBehind(error);
    failed(hostname, problem);
    const { type, status } = problem;
    // Whatever it says: a certificate must not end because of one answer.
    const retryAfterMs = Math.min(problem.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
    if (type in POSTPONED)
      return certificates.postpone(hostname, problem, now + Math.max(retryAfterMs, POSTPONED[type] ?? 0));
    // An order or an account that the authority does not know any more is made anew.
    if (type === "accountDoesNotExist" && order) await certificates.forgetAccount(order.authority);
    const isRefused = order !== undefined && (FINAL.has(type) || status === 404);
    const nextAt = retryTime({ failures: failures + 1, retryAfterMs, now }, random);
    const refusedBy = isRefused ? order.authority : undefined;
    return certificates.fail(hostname, { problem, nextAt, refusedBy }, now);
  };

  return async (certificate) => {
    if (!(await isToOrder(certificate)) || !(await certificates.beginAttempt(certificate, clock.now())))
      return;
    try {
      await obtain(certificate);
    } catch (error) {
      handshakes.remove(certificate.hostname);
      if (!(error instanceof Superseded)) await giveUp(certificate.hostname, error);
    }
  };
};
