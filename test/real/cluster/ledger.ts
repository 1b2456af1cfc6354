/** What the clients were told, to be compared with what the nodes hold in the end. */
export interface Ledger {
  /** By id: the last state that was acknowledged; null: deleted. */
  readonly pets: Map<number, { name: string; status: string | null } | null>;
  /** By Idempotency-Key: the id of what its request made. */
  readonly addedBy: Map<string, number>;
  readonly orders: Map<number, { petId: number; status: string; key: string }>;
  /** Animals for which an order was refused because another has it. */
  readonly refusedPets: Set<number>;
  readonly keys: Map<number, { name: string; isRevoked: boolean }>;
  /** What no node may ever answer, such as a read older than an acknowledged write. */
  readonly surprises: string[];
  /** When requests succeeded, by `performance.now()`, ascending. */
  readonly successes: number[];
  /** Acknowledged writes. */
  acknowledged: number;
  /** Requests that were sent again, to another node, because no response had come or it was a 503. */
  retries: number;
  /** Reads at another node than the one that acknowledged the write before. */
  reads: number;
}

export const newLedger = (): Ledger => ({
  pets: new Map(),
  addedBy: new Map(),
  orders: new Map(),
  refusedPets: new Set(),
  keys: new Map(),
  surprises: [],
  successes: [],
  acknowledged: 0,
  retries: 0,
  reads: 0,
});

/** The longest time between `from` and `to` in which no request succeeded, in milliseconds. */
export const longestPause = (successes: readonly number[], from: number, to: number): number => {
  const times = [from, ...successes.filter((time) => time > from && time < to), to];
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? from)));
};
