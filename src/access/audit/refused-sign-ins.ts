import { type Act, SERVICE } from "../../lib/actor.ts";
import type { Clock } from "../../lib/time.ts";

const INTERVAL_MS = 10 * 60_000;
/** Attempts of further clients are counted, but their addresses are not recorded. */
const MAX_CLIENTS = 1000;
/** How many clients one entry names, and how many entries of an interval are stored for a new client. */
const MAX_NAMED_CLIENTS = 20;

/** The entry of failed attempts. */
interface Refusals {
  action: "session.refused";
  /** The first of the named clients. */
  id: string;
  changes: readonly (readonly [field: string, from: null, to: string])[];
}

/** Failed attempts by client. */
interface Batch {
  clients: Map<string, number>;
  attempts: number;
}

const newBatch = (): Batch => ({ clients: new Map(), attempts: 0 });

const addTo = ({ clients }: Batch, client: string, attempts: number) => {
  if (clients.has(client) || clients.size < MAX_CLIENTS)
    clients.set(client, (clients.get(client) ?? 0) + attempts);
};

/** The clients that the entry names: new ones first, then those with the most attempts. */
const chooseClients = ({ clients }: Batch, known: ReadonlySet<string>) =>
  [...clients]
    .toSorted(
      ([one, attempts], [other, otherAttempts]) =>
        Number(known.has(one)) - Number(known.has(other)) || otherAttempts - attempts,
    )
    .slice(0, MAX_NAMED_CLIENTS);

const entryOf = ({ clients, attempts }: Batch, named: readonly (readonly [string, number])[]): Refusals => ({
  action: "session.refused",
  id: named[0]?.[0] ?? "",
  changes: [
    ["attempts", null, String(attempts)],
    ["clients", null, clients.size < MAX_CLIENTS ? String(clients.size) : `${MAX_CLIENTS} or more`],
    ...(named.length > 1 ? named.map(([client, count]) => [client, null, String(count)] as const) : []),
  ],
});

/**
 * Collects failed sign-ins. `flush` stores one entry per interval, and another one for each new client. A flood of attempts
 * costs at most `MAX_NAMED_CLIENTS` small entries per interval.
 */
export const refusedSignIns = ({
  add,
  clock,
}: {
  add(act: Act, entry: Refusals): Promise<void>;
  clock: Clock;
}) => {
  let batch = newBatch();
  /** The clients that the entries of this interval name. */
  let known: ReadonlySet<string> = new Set();
  let intervalEnd = Number.NEGATIVE_INFINITY;

  const hasNewClient = () =>
    known.size < MAX_NAMED_CLIENTS && batch.clients.keys().some((client) => !known.has(client));

  return {
    /** Counts an attempt. @param client its address or network */
    record(client: string): void {
      batch.attempts += 1;
      addTo(batch, client, 1);
    },
    /** Stores the attempts if an entry is due. If that fails, a later call stores them. @param isLast stores them in any case */
    async flush({ isLast = false } = {}): Promise<void> {
      const now = clock.now();
      const isNewInterval = now >= intervalEnd;
      if (batch.attempts === 0 || !(isNewInterval || isLast || hasNewClient())) return;
      const stored = batch;
      batch = newBatch();
      const before = isNewInterval ? new Set<string>() : known;
      const named = chooseClients(stored, before);
      try {
        await add({ actor: SERVICE, now }, entryOf(stored, named));
        known = new Set([...before, ...named.map(([client]) => client)]);
        if (isNewInterval) intervalEnd = now + INTERVAL_MS;
      } catch (error) {
        batch.attempts += stored.attempts;
        for (const [client, attempts] of stored.clients) addTo(batch, client, attempts);
        throw error;
      }
    },
  };
};
