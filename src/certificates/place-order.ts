import type { Clock } from "../lib/time.ts";
import type { Order } from "../protocols/acme/objects.ts";
import type { Account, AcmeClient } from "../protocols/acme/client.ts";
import { newAccountKey, newCertificateKey } from "../protocols/acme/keys.ts";
import { AcmeProblem } from "../protocols/acme/problem.ts";
import { hostnameOf } from "../lib/hostname.ts";
import { LONGEST_MS, exhaustedFor } from "./budget.ts";
import type { Certificate, PendingOrder } from "./certificate.ts";
import type { Certificates } from "./repository.ts";

/** An order as its authority has it. */
export interface Placed {
  account: Account;
  pending: PendingOrder;
  order: Order;
}

/**
 * Goes on with a name's order, or places one: with the next authority at once where one would refuse, or refuses, because of
 * how many there have been. @throws AcmeProblem; of several such refusals the one that is over first
 */
export type Place = (certificate: Certificate) => Promise<Placed>;

/** The authority would refuse one more: it is not asked. */
export const BUDGET = "budget";

/** The attempt is over: meanwhile the name went, or a certificate was imported. */
export class Superseded extends Error {
  override name = "Superseded";
}

/** True if the authority did not take the certificate that is replaced, rather than the order. */
const isOfReplaces = (error: unknown): boolean =>
  error instanceof AcmeProblem &&
  (error.type === "alreadyReplaced" || error.type === "malformed" || error.status === 404);

const isLimit = (error: unknown): error is AcmeProblem =>
  error instanceof AcmeProblem && (error.type === "rateLimited" || error.type === BUDGET);

const waitOf = ({ retryAfterMs = 0 }: AcmeProblem): number => retryAfterMs;

export const placer = ({
  certificates,
  authorities,
  clientOf,
  clock,
}: {
  certificates: Certificates;
  /** Directories of the authorities, which are tried in turn; none: nothing is ordered. */
  authorities: readonly string[];
  clientOf(authority: string): AcmeClient;
  clock: Clock;
}): Place => {
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

  const order = async (account: Account, authority: string, { hostname, issued }: Certificate) => {
    const replaces = issued?.authority === authority ? (issued.ariId ?? undefined) : undefined;
    const client = clientOf(authority);
    const placed = await client
      .order(account, [hostname], { ...(replaces && { replaces }) })
      .catch((error: unknown) => {
        // RFC 9773 section 5: an order that replaces it may exist, whose answer was lost. That must not keep it from renewal.
        if (replaces === undefined || !isOfReplaces(error)) throw error;
        return client.order(account, [hostname]);
      });
    if (!(await certificates.saveOrder(hostname, { authority, url: placed.url }, clock.now())))
      throw new Superseded();
    return placed;
  };

  const placeAt = async (authority: string, certificate: Certificate): Promise<Placed> => {
    const { hostname, issued, isRequested } = certificate;
    await assertWithinBudget(authority, hostname, issued !== undefined && !isRequested);
    // No certificate can have come of the key of an order that was never placed.
    const key = certificate.order?.key ?? (await newCertificateKey());
    const pending = { authority, url: null, key };
    if (!(await certificates.saveOrderKey(hostname, pending))) throw new Superseded();
    const account = await accountOf(authority);
    return { account, pending, order: await order(account, authority, certificate) };
  };

  /** The one to begin with changes with every failure. */
  const inTurn = ({ failures }: Certificate): string[] => {
    const first = failures % authorities.length;
    return [...authorities.slice(first), ...authorities.slice(0, first)];
  };

  return async (certificate) => {
    const { order: pending } = certificate;
    if (pending?.url) {
      const account = await accountOf(pending.authority);
      const read = await clientOf(pending.authority).readOrder(account, pending.url);
      return { account, pending, order: read };
    }
    const refusals: AcmeProblem[] = [];
    for (const authority of inTurn(certificate))
      try {
        return await placeAt(authority, certificate);
      } catch (error) {
        if (!isLimit(error)) throw error;
        refusals.push(error);
      }
    const [soonest] = refusals.toSorted((one, other) => waitOf(one) - waitOf(other));
    throw (
      soonest ??
      new AcmeProblem({
        type: "no_authority",
        detail: "ACME_AGREE_TOS is not true: nothing is ordered.",
      })
    );
  };
};
