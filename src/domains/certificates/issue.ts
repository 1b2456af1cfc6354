import type { Clock } from "../../time.ts";
import type { Order } from "../acme/answers.ts";
import { assertFits, readCertificate } from "../acme/certificate.ts";
import type { Account, AcmeClient } from "../acme/client.ts";
import { certificateRequest, keyAuthorization, newAccountKey, newCertificateKey } from "../acme/keys.ts";
import { AcmeProblem, type Problem, problemOf } from "../acme/problem.ts";
import { renewalTime, retryTime } from "../acme/renewal.ts";
import { hostnameOf } from "../hostname.ts";
import { LONGEST_MS, exhaustedFor } from "./budget.ts";
import { NOT_HELD, UNREACHABLE } from "./objection.ts";
import { ASKED, type Certificate, type Issued, type PendingOrder } from "./certificate.ts";
import type { Certificates } from "./repository.ts";

/** Deals with a name whose time has come. Never fails: why it did not work is written down. */
export type Issue = (certificate: Certificate) => Promise<void>;

export interface IssueSettings {
  certificates: Certificates;
  /** Directories of the authorities, which are tried in turn; none: nothing is ordered. */
  authorities: readonly string[];
  clientOf(authority: string): AcmeClient;
  /** Why an order would fail if it was placed now; undefined if nothing is known against it. */
  objection(hostname: string): Promise<Problem | undefined>;
  /** Answers TLS-ALPN-01 (RFC 8737), where a name cannot be proven over HTTP. */
  handshakes: Handshakes;
  /** Told that a name has a new certificate. */
  changed(hostname: string): void;
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

type Method = "http-01" | "tls-alpn-01";

/** Between looks at what an authority is still doing. */
const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 5000;
/** After so long the order is left alone until `LATER_MS` have gone by. */
const PATIENCE_MS = 120_000;
const LATER_MS = 60_000;
/** A certificate in use is looked at so often: the authority may want it renewed early (RFC 9773 section 4.3). */
const LOOK_MS = 6 * 60 * 60_000;
/** An authority's Retry-After counts for no longer. */
const MOST_RETRY_AFTER_MS = 24 * 60 * 60_000;
/** What is under way is looked at again by then, should the process end meanwhile. */
const RESUME_MS = 60_000;

/** The authority would refuse one more: it is not asked. */
const BUDGET = "budget";
/** Types of problems that are no attempt's, and after how many milliseconds it is looked at again. */
const POSTPONED: Readonly<Record<string, number>> = { [BUDGET]: 0, [NOT_HELD]: 10 * 60_000 };

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

const reasonOf = (error: unknown): Problem =>
  error instanceof AcmeProblem
    ? problemOf(error)
    : {
        type: "internal",
        detail: error instanceof Error ? error.message : String(error),
        subproblems: [],
      };

/** True if the authority did not take the certificate that is replaced, rather than the order. */
const isOfReplaces = (error: unknown): boolean =>
  error instanceof AcmeProblem &&
  (error.type === "alreadyReplaced" || error.type === "malformed" || error.status === 404);

/** The order's own problem, or that of the authorization that failed. */
const refusalOf = (status: string, error: Problem | undefined): AcmeProblem =>
  new AcmeProblem(
    error ?? { type: "order_invalid", detail: `The authority made it ${status}, and did not say why.` },
  );

export const issuer = ({
  certificates,
  authorities,
  clientOf,
  objection,
  handshakes,
  changed,
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
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
      const value = await read();
      if (isDecided(value)) return value;
      const pause = Math.max(wait, value.retryAfterMs ?? 0);
      if (clock.now() + pause > end) throw new Undecided("The authority has not decided yet.");
      await sleep(pause);
    }
  };

  /** The key is written down before the authority knows it: an account whose key is lost is lost. */
  const openAccount = async (authority: string): Promise<Account> => {
    const stored = await certificates.account(authority);
    const key = stored?.key ?? (await newAccountKey());
    if (!stored) await certificates.saveAccount(authority, { key, url: undefined });
    if (stored?.url !== undefined) return { key, url: stored.url };
    const url = await clientOf(authority).register(key);
    await certificates.saveAccount(authority, { key, url });
    return { key, url };
  };

  const opening = new Map<string, Promise<Account>>();
  /** Whoever asks meanwhile shares the answer: there is one account at each authority. */
  const accountOf = (authority: string): Promise<Account> => {
    const opened = opening.get(authority) ?? openAccount(authority).finally(() => opening.delete(authority));
    opening.set(authority, opened);
    return opened;
  };

  /** @throws AcmeProblem if the authority would refuse one more */
  const assertWithinBudget = async (authority: string, hostname: string, isRenewal: boolean) => {
    const now = clock.now();
    const attempts = await certificates.attempts(authority, now - LONGEST_MS);
    const exhausted = exhaustedFor({ hostname, apex: hostnameOf(hostname).apex, isRenewal }, attempts, now);
    if (exhausted)
      throw new AcmeProblem({
        type: BUDGET,
        detail: exhausted.detail,
        retryAfterMs: exhausted.until - now,
      });
  };

  const prepare = async ({ hostname, failures, issued, nextAt }: Certificate): Promise<PendingOrder> => {
    const authority = authorities[failures % authorities.length];
    if (authority === undefined)
      throw new AcmeProblem({
        type: "no_authority",
        detail: "ACME_AGREE_TOS is not true: nothing is ordered.",
      });
    await assertWithinBudget(authority, hostname, issued !== undefined && nextAt !== ASKED);
    const order = { authority, url: null, key: await newCertificateKey() };
    await certificates.begin(hostname, order, clock.now() + RESUME_MS);
    return order;
  };

  const place = async (account: Account, order: PendingOrder, { hostname, issued }: Certificate) => {
    const replaces = issued?.authority === order.authority ? (issued.ariId ?? undefined) : undefined;
    const client = clientOf(order.authority);
    const placed = await client
      .order(account, [hostname], { ...(replaces && { replaces }) })
      .catch((error: unknown) => {
        // RFC 9773 section 5: an order that replaces it may exist, whose answer was lost. That must not keep it from renewal.
        if (replaces === undefined || !isOfReplaces(error)) throw error;
        return client.order(account, [hostname]);
      });
    await certificates.placed(hostname, { authority: order.authority, url: placed.url }, clock.now());
    return placed;
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
      if (method === "http-01") await certificates.challenged(hostname, challenge.token, answer);
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
    if (await certificates.stored(hostname, issued, nextAt, clock.now())) changed(hostname);
  };

  /** True if something is to be ordered now; otherwise when it is looked at again is written down. */
  const isToOrder = async ({ hostname, issued, nextAt, order, problem }: Certificate): Promise<boolean> => {
    // A failed renewal is retried by the plan for that.
    if (!issued || order || problem || nextAt === ASKED) return true;
    const renewal = await renewalOf(issued);
    const now = clock.now();
    if (renewal <= now) return true;
    await certificates.later(hostname, Math.min(renewal, now + LOOK_MS));
    return false;
  };

  const obtain = async (certificate: Certificate) => {
    const { hostname } = certificate;
    const against = await objection(hostname);
    if (against && against.type !== UNREACHABLE) throw new AcmeProblem(against);
    const method = against ? "tls-alpn-01" : "http-01";
    const pending = certificate.order ?? (await prepare(certificate));
    const account = await accountOf(pending.authority);
    const placed = pending.url
      ? await clientOf(pending.authority).readOrder(account, pending.url)
      : await place(account, pending, certificate);
    await install(certificate, pending, await complete(account, pending, placed, { hostname, method }));
  };

  const giveUp = async (hostname: string, error: unknown) => {
    const now = clock.now();
    const { failures = 0, order } = (await certificates.find(hostname)) ?? {};
    if (error instanceof Undecided) {
      const undecided = { type: "undecided", detail: error.message, subproblems: [] };
      return certificates.postponed(hostname, undecided, now + LATER_MS);
    }
    const problem = reasonOf(error);
    failed(hostname, problem);
    const { type, status } = problem;
    // Whatever it says: a certificate must not end because of one answer.
    const retryAfterMs = Math.min(problem.retryAfterMs ?? 0, MOST_RETRY_AFTER_MS);
    if (type in POSTPONED)
      return certificates.postponed(hostname, problem, now + Math.max(retryAfterMs, POSTPONED[type] ?? 0));
    // An order or an account that the authority does not know any more is made anew.
    if (type === "accountDoesNotExist" && order) await certificates.forgetAccount(order.authority);
    const isRefused = order !== undefined && (FINAL.has(type) || status === 404);
    const nextAt = retryTime({ failures: failures + 1, retryAfterMs, now }, random);
    const refusedBy = isRefused ? order.authority : undefined;
    return certificates.failed(hostname, { problem, nextAt, refusedBy }, now);
  };

  return async (certificate) => {
    try {
      if (await isToOrder(certificate)) await obtain(certificate);
    } catch (error) {
      handshakes.remove(certificate.hostname);
      await giveUp(certificate.hostname, error);
    }
  };
};
