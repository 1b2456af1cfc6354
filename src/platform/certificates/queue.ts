import { type Clock, formatTime } from "../../lib/time.ts";
import { orderSlots, reserveOf } from "./budget.ts";
import { type Certificate, OVERDUE_MS } from "./certificate.ts";
import type { Authority } from "./order.ts";
import type { Certificates, QueueEntry } from "./repository.ts";

/** The place of a name that waits because the CAs' limits allow no order. */
interface QueuePlace {
  /** From 1. */
  position: number;
  /** When its order can probably be placed, RFC 3339. */
  estimatedAt: string;
}

/** The places of the names that wait for their turn, or whose turn came within the last 30 minutes. */
export type Places = ReadonlyMap<string, QueuePlace>;

interface QueueOptions {
  certificates: Pick<Certificates, "find" | "queue" | "ordersSince">;
  /** Empty if nothing is ordered. */
  authorities: readonly Authority[];
  /** Names that are served before all others: the service's own. */
  first: readonly string[];
  clock: Clock;
}

/** How long places are cached, in milliseconds: one page shows many. */
const FRESH_MS = 1000;

/**
 * The order in which names get their certificates. Names stay due while they wait: the queue opens whenever an order leaves
 * the window of a CA's limit. So it needs no write, and every process sees the same queue. Limits on one name do not hold up
 * others: `placeOrder` checks them.
 */
export const certificateQueue = ({ certificates, authorities, first, clock }: QueueOptions) => {
  const limited = authorities.flatMap(({ directory, limits: { orders: limit } }) =>
    limit ? [{ directory, limit }] : [],
  );
  // A CA without a limit takes the orders that the others cannot.
  const budgets = limited.length === authorities.length ? limited : [];
  const longestMs = Math.max(0, ...budgets.map(({ limit }) => limit.withinMs));
  const rules = {
    first,
    authorities: budgets.map(({ directory }) => directory),
    reserve: budgets.reduce((sum, { limit }) => sum + reserveOf(limit), 0),
  };

  const read = async (now: number, limitsAt = now) => {
    const entries = await certificates.queue({ ...rules, now, since: now - longestMs });
    const used = budgets.map(async ({ directory, limit }) => ({
      limit,
      orders: await certificates.ordersSince(directory, limitsAt - limit.withinMs),
    }));
    const slots = orderSlots(await Promise.all(used), entries.filter((one) => one.isStarted).length, now);
    return { entries, slots, isOpen: ({ place, isPrior }: QueueEntry) => place <= slots.open(isPrior) };
  };

  const placesAt = async (now: number): Promise<Places> => {
    const { entries, slots, isOpen } = await read(now, now - OVERDUE_MS);
    const waiting = entries.filter((one) => !isOpen(one));
    return new Map(
      waiting.map(({ hostname, place, isPrior }) => [
        hostname,
        { position: place, estimatedAt: formatTime(Math.max(now, slots.freeAt(place, isPrior))) },
      ]),
    );
  };
  let latest: { at: number; places: Promise<Places> } | undefined;

  return {
    /** At most `limit` names that are due and may be ordered or renewed now, in turn. */
    async due(now: number, limit: number): Promise<Certificate[]> {
      const { entries, isOpen } = await read(now);
      const names = entries.filter(isOpen).slice(0, limit);
      const found = await Promise.all(names.map(({ hostname }) => certificates.find(hostname)));
      return found.filter((one) => one !== undefined);
    },
    places(): Promise<Places> {
      const now = clock.now();
      if (!latest || Math.abs(now - latest.at) >= FRESH_MS) latest = { at: now, places: placesAt(now) };
      return latest.places;
    },
    /** Discards the cached places after a request. */
    refresh: () => void (latest = undefined),
  };
};

export type CertificateQueue = ReturnType<typeof certificateQueue>;
