import type { Database } from "bun:sqlite";
import type { Ledger } from "./ledger.ts";

/** The rows that a node holds, as far as the clients know of them. */
export interface Rows {
  readonly pets: readonly { id: number; name: string; status: string | null }[];
  readonly orders: readonly { id: number; petId: number; status: string; note: string | null }[];
  readonly keys: readonly { id: number; name: string; isRevoked: boolean }[];
  /** The animals that the audit log says were added. */
  readonly addedPets: readonly number[];
}

/** @param database of a node, or a copy */
export const rowsOf = (database: Database): Rows => {
  const all = <Row>(sql: string) => database.query<Row, []>(sql).all();
  return {
    pets: all("SELECT id, name, status FROM pets"),
    orders: all("SELECT id, pet_id AS petId, status, note FROM orders"),
    keys: all<{ id: number; name: string; revokedAt: number | null }>(
      "SELECT id, name, revoked_at AS revokedAt FROM keys",
    ).map(({ id, name, revokedAt }) => ({ id, name, isRevoked: revokedAt !== null })),
    addedPets: all<{ id: string }>(
      "SELECT resource_id AS id FROM audit_entries WHERE action = 'pet.added'",
    ).map(({ id }) => Number(id)),
  };
};

const repeated = <Value>(values: readonly Value[]): Value[] => {
  const seen = new Set<Value>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
};

const isSame = (a: object | undefined, b: object): boolean => a !== undefined && Bun.deepEquals(a, b, true);

/** Acknowledged writes that the rows lack. */
const lost = (ledger: Ledger, rows: Rows): string[] => {
  const pets = new Map(rows.pets.map(({ id, ...pet }) => [id, pet]));
  const orders = new Map(
    rows.orders.map(({ id, petId, status, note }) => [id, { petId, status, key: note }]),
  );
  const keys = new Map(rows.keys.map(({ id, ...key }) => [id, key]));
  return [
    ...[...ledger.pets].flatMap(([id, pet]) =>
      (pet === null ? !pets.has(id) : isSame(pets.get(id), pet)) ? [] : [`animal ${id}`],
    ),
    ...[...ledger.orders].flatMap(([id, order]) => (isSame(orders.get(id), order) ? [] : [`order ${id}`])),
    ...[...ledger.keys].flatMap(([id, key]) => (isSame(keys.get(id), key) ? [] : [`API key ${id}`])),
  ];
};

/** Idempotency keys whose request was carried out more than once. Each is the name or the note of what it made. */
const carriedOutTwice = (ledger: Ledger, rows: Rows): string[] => [
  ...repeated(rows.pets.map(({ name }) => name)),
  ...repeated(rows.orders.flatMap(({ note }) => note ?? [])),
  ...repeated(rows.addedPets).map((id) => `animal ${id}`),
  // An addition that is not the one that was acknowledged: its animal may have been deleted, or have another name by now.
  ...rows.addedPets.filter((id) => !ledger.pets.has(id)).map((id) => `animal ${id}`),
];

/** Animals with more than one adopter, or with none although an order was refused. */
const placedTwice = (ledger: Ledger, rows: Rows): string[] => {
  const adopted = rows.orders.filter(({ status }) => status !== "cancelled").map(({ petId }) => petId);
  const ordered = new Set(rows.orders.map(({ petId }) => petId));
  return [
    ...repeated(adopted).map((id) => `animal ${id} twice`),
    ...[...ledger.refusedPets].filter((id) => !ordered.has(id)).map((id) => `animal ${id} refused to all`),
  ];
};

/** So many of each are shown. */
const SHOWN = 20;

/** What the nodes must never do, and did. Every request of the ledger must have been acknowledged by then. */
export const violations = (ledger: Ledger, rows: Rows) => ({
  lost: lost(ledger, rows).slice(0, SHOWN),
  carriedOutTwice: carriedOutTwice(ledger, rows).slice(0, SHOWN),
  placedTwice: placedTwice(ledger, rows).slice(0, SHOWN),
  surprises: ledger.surprises.slice(0, SHOWN),
});

export const NO_VIOLATIONS: ReturnType<typeof violations> = {
  lost: [],
  carriedOutTwice: [],
  placedTwice: [],
  surprises: [],
};
