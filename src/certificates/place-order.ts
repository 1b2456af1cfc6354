import type { Limits } from "../lib/acme-limits.ts";
import { apexOf } from "../lib/hostname.ts";
import type { Clock } from "../lib/time.ts";
import type { Account, AcmeClient } from "../protocols/acme/client.ts";
import { newCertificateKey, newAccountKey } from "../protocols/acme/keys.ts";
import type { Order } from "../protocols/acme/objects.ts";
import { AcmeProblem } from "../protocols/acme/problem.ts";
import type { Attempt } from "./attempt-repository.ts";
import { findExhaustedLimit } from "./budget.ts";
import { BUDGET, type Certificate, type PendingOrder } from "./certificate.ts";
import type { Certificates } from "./repository.ts";

/** Returns the service's account with a CA, and registers it when first needed. Concurrent calls share one registration. */
const accountOpener = (
  certificates: Pick<Certificates, "account" | "addAccount" | "saveAccount">,
  clientOf: (ca: string) => AcmeClient,
) => {
  const open = async (ca: string): Promise<Account> => {
    // Stored before the CA knows the key: without its key an account is lost. Another process may have stored one meanwhile.
    const { key, url: known } =
      (await certificates.account(ca)) ?? (await certificates.addAccount(ca, await newAccountKey()));
    if (known !== undefined) return { key, url: known };
    const url = await clientOf(ca).register(key);
    await certificates.saveAccount(ca, { key, url });
    return { key, url };
  };

  const opening = new Map<string, Promise<Account>>();
  return (ca: string): Promise<Account> => {
    const account = opening.get(ca) ?? open(ca).finally(() => opening.delete(ca));
    opening.set(ca, account);
    return account;
  };
};

/** A name whose certificate is being ordered. */
export type Attempted = Certificate & Attempt;

/** An order as its CA has it. */
export interface PlacedOrder {
  account: Account;
  pending: PendingOrder;
  order: Order;
}

/**
 * Continues a name's order, or places one. If a CA's limits forbid it, the next CA is tried at once.
 * @throws AcmeProblem; if the limits of all CAs forbid it, the one that ends first
 */
export type PlaceOrder = (certificate: Attempted) => Promise<PlacedOrder>;

/** A CA, and how many requests it allows. */
export interface Authority {
  /** The URL of its directory. */
  directory: string;
  limits: Limits;
}

export interface PlaceOrderOptions {
  certificates: Certificates;
  /** Tried in turn; if empty, nothing is ordered. */
  authorities: readonly Authority[];
  /** The names in the certificate of a name: several for a wildcard. */
  namesOf(hostname: string): readonly string[];
  clientOf(ca: string): AcmeClient;
  clock: Clock;
}

/** The attempt is over: the name was removed, or a certificate was imported. */
export class Superseded extends Error {
  override name = "Superseded";
}

/** True if the CA refused what the order says it replaces, not the order itself. */
const isAboutReplacement = (error: unknown): boolean =>
  error instanceof AcmeProblem &&
  (error.type === "alreadyReplaced" || error.type === "malformed" || error.status === 404);

/** True for problems that are not caused by the name: it is only waiting for a limit. */
export const isLimitType = (type: string): boolean => type === "rateLimited" || type === BUDGET;

const isLimit = (error: unknown): error is AcmeProblem =>
  error instanceof AcmeProblem && isLimitType(error.type);

const retryAfter = ({ retryAfterMs = 0 }: AcmeProblem): number => retryAfterMs;

/** @throws AcmeProblem if one more order would exceed a limit of the CA. @param placing the number of orders that this process is placing */
const budgetCheck =
  ({ certificates, clock }: PlaceOrderOptions) =>
  ({ directory: ca, limits }: Authority, { hostname, issued, isRequested }: Certificate, placing: number) => {
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

/** Places an order with one CA. The key is stored before the order is placed. @throws AcmeProblem, Superseded */
const orderPlacement = (options: PlaceOrderOptions, accountOf: (ca: string) => Promise<Account>) => {
  const { certificates, clientOf, namesOf, clock } = options;
  const assertWithinBudget = budgetCheck(options);
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

  return async (authority: Authority, certificate: Attempted): Promise<PlacedOrder> => {
    const { directory: ca } = authority;
    assertWithinBudget(authority, certificate, placing.get(ca) ?? 0);
    count(ca, 1);
    try {
      return await place(ca, certificate);
    } finally {
      count(ca, -1);
    }
  };
};

export const orderPlacer = (options: PlaceOrderOptions): PlaceOrder => {
  const { certificates, authorities, clientOf } = options;
  const accountOf = accountOpener(certificates, clientOf);
  const placeOrder = orderPlacement(options, accountOf);

  /** Each failure changes which CA is tried first. */
  const authoritiesInTurn = ({ failures }: Certificate): Authority[] => {
    const first = failures % authorities.length;
    return [...authorities.slice(first), ...authorities.slice(0, first)];
  };

  return async (certificate) => {
    const { order: pending } = certificate;
    if (pending?.url) {
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
        refusals.push(error);
      }
    const [soonest] = refusals.toSorted((one, other) => retryAfter(one) - retryAfter(other));
    throw (
      soonest ??
      new AcmeProblem({
        type: "no_authority",
        detail: "ACME_AGREE_TOS is not true: nothing is ordered.",
      })
    );
  };
};
