import type { Limits } from "../../lib/acme-limits.ts";
import { apexOf } from "../../lib/hostname.ts";
import { shared } from "../../lib/lazy.ts";
import type { Runtime } from "../../data/context.ts";
import type { Account, AcmeClient } from "../../protocols/acme/client.ts";
import {
  certificateRequest,
  keyAuthorization,
  newAccountKey,
  newCertificateKey,
} from "../../protocols/acme/keys.ts";
import type { Order } from "../../protocols/acme/objects.ts";
import { type Problem, AcmeProblem } from "../../protocols/acme/problem.ts";
import { findExhaustedLimit } from "./budget.ts";
import { type Certificate, type PendingOrder, BUDGET, UNDECIDED } from "./certificate.ts";
import { type DnsChallenges, recordValueOf } from "./dns-challenges.ts";
import type { Preflight, Proof } from "./preflight.ts";
import type { Attempt, Certificates } from "./repository.ts";
import { type Wildcard, namesIn } from "./wildcard.ts";

/** A name whose certificate is being ordered. */
export type Attempted = Certificate & Attempt;

/** An order as its CA has it. */
interface PlacedOrder {
  account: Account;
  pending: PendingOrder;
  order: Order;
}

/** A CA, and how many requests it allows. */
export interface Authority {
  /** The URL of its directory. */
  directory: string;
  limits: Limits;
}

/** The dependencies of attempts. */
export interface Ordering extends Omit<Runtime, "randomBytes"> {
  certificates: Certificates;
  /** Tried in turn; if empty, nothing is ordered. */
  authorities: readonly Authority[];
  clientOf(ca: string): AcmeClient;
  preflight: Preflight;
  /** Publishes the records of DNS-01 challenges; undefined if that is not configured. */
  challenges?: DnsChallenges | undefined;
  /** The certificate of the projects' names, if there is one. */
  wildcard?: Wildcard | undefined;
  /** Called when a name has a new certificate, or when an unused name is removed with its certificate and key. */
  onChanged(hostname: string): void;
}

/** The attempt is over: the name was removed, or a certificate was imported. */
export class Superseded extends Error {
  override name = "Superseded";
}

/** True if the CA refused the order's `replaces` field, not the order itself. */
const isAboutReplacement = (error: unknown): boolean =>
  error instanceof AcmeProblem &&
  (error.type === "alreadyReplaced" || error.type === "malformed" || error.status === 404);

/** True for problems that are not caused by the name: it is only waiting for a limit. */
export const isLimitType = (type: string): boolean => type === "rateLimited" || type === BUDGET;

const isLimit = (error: unknown): error is AcmeProblem =>
  error instanceof AcmeProblem && isLimitType(error.type);

const retryAfter = ({ retryAfterMs = 0 }: AcmeProblem): number => retryAfterMs;

/**
 * Continues a name's order, or places one. If a CA's limits forbid it, the next CA is tried immediately.
 * @throws AcmeProblem; if the limits of all CAs forbid it, the one that ends first
 */
export const orderPlacer = ({ certificates, authorities, wildcard, clientOf, clock, log }: Ordering) => {
  const namesOf = namesIn(wildcard);
  /** Returns the service's account with a CA, and registers it when first needed. */
  const accountOf = shared(async (ca: string): Promise<Account> => {
    // Stored before the CA knows the key: without its key an account is lost. Another process may have stored one meanwhile.
    const { key, url: known } =
      (await certificates.account(ca)) ?? (await certificates.addAccount(ca, await newAccountKey()));
    if (known !== undefined) return { key, url: known };
    const url = await clientOf(ca).register(key);
    await certificates.saveAccount(ca, { key, url });
    return { key, url };
  });

  /** @throws AcmeProblem if one more order would exceed a limit of the CA. @param placing the number of orders that this process is placing */
  const assertWithinBudget = (
    { directory: ca, limits }: Authority,
    { hostname, issued, isRequested }: Certificate,
    placing: number,
  ) => {
    const now = clock.now();
    const isRenewal = issued !== undefined && !isRequested;
    const exhausted = findExhaustedLimit(
      limits,
      { hostname, apex: apexOf(hostname), isRenewal, isPrior: isRequested || isRenewal },
      (counted, nth) => {
        if (counted.kind !== "order") return certificates.nthAttempt(ca, counted, nth);
        return nth <= placing ? now : certificates.nthAttempt(ca, counted, nth - placing);
      },
      now,
    );
    if (exhausted)
      throw new AcmeProblem({
        type: BUDGET,
        detail: exhausted.detail,
        retryAfterMs: exhausted.until - now,
      });
  };

  /** How many orders are being placed at each CA. */
  const placing = new Map<string, number>();
  const count = (ca: string, change: number) => placing.set(ca, (placing.get(ca) ?? 0) + change);

  const order = async (account: Account, ca: string, certificate: Attempted) => {
    const { hostname, issued } = certificate;
    const replaces = issued?.ca === ca ? (issued.ariId ?? undefined) : undefined;
    const client = clientOf(ca);
    const names = namesOf(hostname);
    // Its key was stored, so an attempt was about to place it: perhaps only the response was lost.
    const lost =
      certificate.order?.ca === ca
        ? await client.findOrder(account, names).catch(() => undefined)
        : undefined;
    const placed =
      lost ??
      (await client.order(account, names, { ...(replaces && { replaces }) }).catch((error: unknown) => {
        // RFC 9773 section 5: a CA takes one replacement. If an earlier order's response was lost, renew without `replaces`.
        if (replaces === undefined || !isAboutReplacement(error)) throw error;
        return client.order(account, names);
      }));
    if (!(await certificates.saveOrder(certificate, { ca, url: placed.url }, clock.now())))
      throw new Superseded();
    return placed;
  };

  const place = async (ca: string, certificate: Attempted): Promise<PlacedOrder> => {
    // The key of an order that was never placed is unused.
    const key = certificate.order?.key ?? (await newCertificateKey());
    const pending = { ca, url: null, key };
    if (!(await certificates.saveOrderKey(certificate, pending))) throw new Superseded();
    const account = await accountOf(ca);
    return { account, pending, order: await order(account, ca, certificate) };
  };

  /** Places an order with one CA. The key is stored before the order is placed. @throws AcmeProblem, Superseded */
  const placeOrder = async (authority: Authority, certificate: Attempted): Promise<PlacedOrder> => {
    const { directory: ca } = authority;
    assertWithinBudget(authority, certificate, placing.get(ca) ?? 0);
    count(ca, 1);
    try {
      return await place(ca, certificate);
    } finally {
      count(ca, -1);
    }
  };

  /** Each failure changes which CA is tried first. */
  const authoritiesInTurn = ({ failures }: Certificate): Authority[] => {
    const first = failures % authorities.length;
    return [...authorities.slice(first), ...authorities.slice(0, first)];
  };

  return async (certificate: Attempted): Promise<PlacedOrder> => {
    const { hostname, order: pending } = certificate;
    if (pending?.url) {
      log.debug({ hostname, ca: pending.ca }, "an earlier attempt placed the order: continuing it");
      const account = await accountOf(pending.ca);
      const read = await clientOf(pending.ca).readOrder(account, pending.url);
      return { account, pending, order: read };
    }
    const refusals: AcmeProblem[] = [];
    for (const authority of authoritiesInTurn(certificate))
      try {
        return await placeOrder(authority, certificate);
      } catch (error) {
        if (!isLimit(error)) throw error;
        const { type, detail } = error;
        log.debug(
          { hostname, ca: authority.directory, type, detail },
          "a limit forbids the order at this CA",
        );
        refusals.push(error);
      }
    const [soonest] = refusals.toSorted((a, b) => retryAfter(a) - retryAfter(b));
    throw (
      soonest ??
      new AcmeProblem({
        type: "no_authority",
        detail: "ACME_AGREE_TOS is not true: nothing is ordered.",
      })
    );
  };
};

/** The CA has not decided yet. */
export class Undecided extends AcmeProblem {
  override name = "Undecided";
  constructor(detail: string) {
    super({ type: UNDECIDED, detail });
  }
}

/** The records of orders that their CAs have not decided, by host name. */
export type UndecidedRecords = Map<string, { name: string; value: string }>;

interface ChallengeResponse {
  token: string;
  keyAuthorization: string;
}

/** Presents the response to a challenge by the method of the proof, then runs the work that needs it. */
export const responsePresenter = (
  { certificates, challenges }: Pick<Ordering, "certificates" | "challenges">,
  undecided: UndecidedRecords,
) => {
  /** Keeps the record until the CA has decided, also between attempts. */
  const withRecord = async (
    { hostname, name, value }: { hostname: string; name: string; value: string },
    isPresented: () => Promise<boolean>,
    work: () => Promise<void>,
  ) => {
    undecided.delete(hostname);
    if (!challenges) throw new AcmeProblem({ type: "no_challenge", detail: "No record can be published." });
    await challenges.publish(name, value);
    try {
      await work();
    } catch (error) {
      if (error instanceof Undecided) undecided.set(hostname, { name, value });
      // Another node may continue the same order, with the same record.
      else if (!(error instanceof Superseded && (await isPresented()))) await challenges.remove(name, value);
      throw error;
    }
    await challenges.remove(name, value);
  };

  return async (
    attempt: Attempt,
    proof: Proof,
    { token, keyAuthorization }: ChallengeResponse,
    work: () => Promise<void>,
  ): Promise<void> => {
    const { hostname } = attempt;
    const save = async () => {
      if (!(await certificates.saveChallenge(attempt, token, keyAuthorization))) throw new Superseded();
    };
    // Stored before a record is published: after a crash the next attempt removes it.
    await save();
    if (proof.method !== "dns-01") return work();
    const record = { hostname, name: proof.recordName, value: recordValueOf(keyAuthorization) };
    const isPresented = async () =>
      (await certificates.find(hostname))?.keyAuthorization === keyAuthorization;
    return withRecord(record, isPresented, async () => {
      // Waiting for the record may have taken minutes, and the name may have been removed meanwhile.
      await save();
      return work();
    });
  };
};

/** Between polls of a CA. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5000;
/** After this long the attempt ends; the next one continues the order. */
const PATIENCE_MS = 120_000;

/** The order's own problem, or that of the authorization that failed. */
const refusalOf = (status: string, error: Problem | undefined): AcmeProblem =>
  new AcmeProblem(
    error ?? { type: "order_invalid", detail: `The order became ${status}, and the CA gave no reason.` },
  );

/** Types of refusals after which the CA may still reach the name with the other method. */
const RETRIABLE: ReadonlySet<string> = new Set(["connection", "incorrectResponse", "tls", "unauthorized"]);

/** The refusal of a challenge. With `dns-01` the CA does not connect to the name, so no other method helps. */
const challengeRefusal = (status: string, error: Problem | undefined, { method }: Proof): AcmeProblem =>
  refusalOf(status, error && method !== "dns-01" && RETRIABLE.has(error.type) ? { ...error, method } : error);

/** Takes an order from any state to its certificate chain. @throws AcmeProblem, also Undecided */
export const orderCompleter = (ordering: Ordering, undecided: UndecidedRecords) => {
  const { clientOf, wildcard, clock, sleep } = ordering;
  const present = responsePresenter(ordering, undecided);

  /** Polls until the CA has decided. @throws Undecided after `PATIENCE_MS` */
  const poll = async <Value extends { retryAfterMs?: number }>(
    read: () => Promise<Value>,
    isDecided: (value: Value) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    const end = clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const value = await read();
      if (isDecided(value)) return value;
      const pause = Math.max(wait, value.retryAfterMs ?? 0);
      if (clock.now() + pause > end) throw new Undecided("The CA has not decided yet.");
      await sleep(pause);
      if (signal?.aborted) throw new Undecided("This process has stopped.");
    }
  };

  return async (
    { account, pending, order: placed }: PlacedOrder,
    attempt: Attempt,
    proof: Proof,
    signal?: AbortSignal,
  ): Promise<string> => {
    const client = clientOf(pending.ca);
    const reread = () => client.readOrder(account, placed.url);

    /** Responds to the CA's challenge for one name, and waits until the CA has validated it. */
    const authorize = async (url: string) => {
      const authorization = await client.authorization(account, url);
      if (authorization.status === "valid") return;
      const challenge = authorization.challenges.find(({ type }) => type === proof.method);
      const detail = `The CA offers no ${proof.method} challenge.`;
      if (!challenge) throw new AcmeProblem({ type: "no_challenge", detail });
      const response = {
        token: challenge.token,
        keyAuthorization: keyAuthorization(challenge.token, account.key),
      };
      await present(attempt, proof, response, async () => {
        if (challenge.status === "pending") await client.respond(account, challenge.url);
        const decided = await poll(
          () => client.authorization(account, url),
          // Some CAs leave a failed challenge pending, with its error, so that it can be retried.
          (read) => read.status !== "pending" || read.challenges.some((one) => one.error),
          signal,
        );
        if (decided.status !== "valid")
          throw challengeRefusal(decided.status, decided.challenges.find(({ error }) => error)?.error, proof);
      });
    };

    let order: Order = placed;
    if (order.status === "pending") {
      for (const url of order.authorizations) await authorize(url);
      order = await poll(reread, ({ status }) => status !== "pending", signal);
    }
    if (order.status === "ready")
      order = await client.finalize(
        account,
        order,
        await certificateRequest(pending.key, namesIn(wildcard)(attempt.hostname)),
      );
    if (order.status === "processing" || order.status === "ready")
      order = await poll(reread, ({ status }) => status !== "processing" && status !== "ready", signal);
    if (order.status !== "valid" || order.certificate === undefined)
      throw refusalOf(order.status, order.error);
    return client.certificate(account, order.certificate);
  };
};
