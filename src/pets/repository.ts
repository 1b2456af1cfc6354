import { and, asc, count, eq, gt, max, sql } from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Keep } from "../db/kept-responses.ts";
import type { Database } from "../db/open.ts";
import { isOpen, orders } from "../db/schema/orders.ts";
import { categories, pets } from "../db/schema/pets.ts";
import type { NewPet, Pet, PetPage, PetStatus } from "./pet.ts";
import { COLUMNS, type Row, petLists, toPet } from "./queries.ts";

export type { NewPet, Pet, PetPage, PetStatus };

export type { Keep } from "../db/kept-responses.ts";

const DAY_MS = 86_400_000;

/** What is absent stays; a status of null is none. */
export interface PetChange {
  name?: string;
  categoryId?: bigint;
  status?: PetStatus | null;
}

/** What came of a change or a deletion: the animal, or why nothing was done. */
export type WriteResult =
  | { pet: Pet }
  | { refused: "missing" }
  /** It is not as it was expected to be. */
  | { refused: "different" }
  /** Categories are strict, and the one that it would belong to has no record. */
  | { refused: "uncategorized" }
  /** This open order holds it. */
  | { refused: "held"; order: number };

/** Animals that were added on one UTC day. */
export interface DayCounts {
  /** Days since 1970. */
  day: number;
  /** With and without a status. */
  total: number;
  available: number;
  pending: number;
  sold: number;
  /** The highest id among them. */
  last: number;
}

export interface Pets {
  /**
   * Stores the animal under an id that was never given out; answers when it is on disk. Undefined if categories are strict
   * and its own has no record, by the same atomic step.
   */
  add(pet: NewPet, now: number, keep?: Keep<Pet>): Promise<Pet | undefined>;
  /**
   * Changes the animal in one atomic step, if it is still as `expected`; not the status of one that an open order holds.
   */
  change(id: number, change: PetChange, expected?: Pet): Promise<WriteResult>;
  /** Deletes it in one atomic step, if it is still as `expected`; not one that an open order holds. */
  remove(id: number, expected?: Pet): Promise<WriteResult>;
  find(id: number): Promise<Pet | undefined>;
  /** Ascending by id; every page costs the same, however deep it lies. */
  list(page: PetPage): Promise<Pet[]>;
  /** Counts the next `limit` animals behind `after`, ascending by id, by the day that they were added on. */
  countByDay(slice: { after: number; limit: number }): Promise<DayCounts[]>;
}

interface State extends Row {
  /** The open one. */
  order: number | null;
  /** 0: categories are strict, and the one that was asked for has no record. */
  mayBelong: number;
}

const outcomeOf = (done: Row | undefined, state: State | undefined, differs: boolean): WriteResult => {
  if (done) return { pet: toPet(done) };
  if (!state) return { refused: "missing" };
  if (differs) return { refused: "different" };
  if (!state.mayBelong) return { refused: "uncategorized" };
  if (state.order === null) return { refused: "different" };
  return { refused: "held", order: state.order };
};

const differ = (a: Row, b: Pet): boolean =>
  a.name !== b.name || a.categoryId !== b.categoryId || a.status !== (b.status ?? null);

/** The values that a write is guarded by. */
const guardOf = (expected: Pet | undefined) => ({
  guarded: Number(expected !== undefined),
  wasName: expected?.name ?? null,
  wasCategoryId: expected?.categoryId ?? null,
  wasStatus: expected?.status ?? null,
});

const OPEN_ORDER = sql`${orders.petId} = ${pets.id} and ${isOpen(orders.status)}`;
const ORDER = sql<number | null>`(select ${orders.id} from ${orders} where ${OPEN_ORDER})`;
const UNHELD = sql`not exists (select 1 from ${orders} where ${OPEN_ORDER})`;

export const petRepository = (
  { orm, commit }: Database,
  { strictCategories = false }: { strictCategories?: boolean } = {},
): Pets => {
  const value = sql.placeholder;
  const hasRecord = sql`exists (select 1 from ${categories} where ${categories.id} = ${value("categoryId")})`;
  const mayBelong = strictCategories
    ? sql<number>`(${value("categoryId")} is null or ${hasRecord})`
    : sql<number>`1`;
  const fields = {
    name: value("name"),
    categoryId: value("categoryId"),
    status: value("status"),
    createdAt: value("createdAt"),
  };
  const insert = strictCategories
    ? insertSelect(orm, pets, fields, sql`where ${hasRecord}`)
    : orm.insert(pets).values(fields);
  const inserted = insert.returning({ id: pets.id }).prepare();
  const asExpected = sql`(not ${value("guarded")} or (${pets.name} = ${value("wasName")} and ${pets.categoryId} = ${value("wasCategoryId")} and ${pets.status} is ${value("wasStatus")}))`;
  const changed = orm
    .update(pets)
    .set({
      name: sql`coalesce(${value("name")}, ${pets.name})`,
      categoryId: sql`coalesce(${value("categoryId")}, ${pets.categoryId})`,
      status: sql`iif(${value("keepsStatus")}, ${pets.status}, ${value("status")})`,
    })
    .where(
      and(
        eq(pets.id, value("id")),
        asExpected,
        mayBelong,
        sql`(${value("keepsStatus")} or ${pets.status} is ${value("status")} or ${UNHELD})`,
      ),
    )
    .returning(COLUMNS)
    .prepare();
  const removed = orm
    .delete(pets)
    .where(and(eq(pets.id, value("id")), asExpected, UNHELD))
    .returning(COLUMNS)
    .prepare();
  // Asked in the transaction of the write: it tells why nothing was written.
  const state = orm
    .select({ ...COLUMNS, order: ORDER, mayBelong })
    .from(pets)
    .where(eq(pets.id, value("id")))
    .limit(1)
    .prepare();
  const found = orm
    .select(COLUMNS)
    .from(pets)
    .where(eq(pets.id, value("id")))
    .limit(1)
    .prepare();
  const behind = gt(pets.id, value("after"));
  const lists = petLists({ orm });
  const slice = orm
    .select({
      id: pets.id,
      status: pets.status,
      // Integers: SQLite leaves out the rest.
      day: sql<number>`${pets.createdAt} / ${sql.raw(String(DAY_MS))}`.as("day"),
    })
    .from(pets)
    .where(behind)
    .orderBy(asc(pets.id))
    .limit(value("limit"))
    .as("slice");
  const ofStatus = (status: PetStatus) => sql<number>`count(iif(${slice.status} = ${status}, 1, null))`;
  // Grouped by the day alone: by text as well it takes twice as long.
  const tallied = orm
    .select({
      day: slice.day,
      total: count(),
      available: ofStatus("available"),
      pending: ofStatus("pending"),
      sold: ofStatus("sold"),
      last: sql<number>`${max(slice.id)}`,
    })
    .from(slice)
    .groupBy(sql`${slice.day}`)
    .prepare();

  const write = async (
    query: typeof changed | typeof removed,
    values: Record<string, unknown> & { id: number; categoryId: bigint | null },
    expected: Pet | undefined,
  ): Promise<WriteResult> => {
    const [[row], [now]] = await commit([
      { query, values },
      { query: state, values: { id: values.id, categoryId: values.categoryId } },
    ]);
    return outcomeOf(row, now, now !== undefined && expected !== undefined && differ(now, expected));
  };

  return {
    async add(pet, createdAt, keep) {
      const values = { ...pet, status: pet.status ?? null, createdAt };
      const [[row]] = await commit(
        [{ query: inserted, values }],
        keep && (([[added]]) => added && keep({ id: added.id, ...pet })),
      );
      return row && { id: row.id, ...pet };
    },
    async change(id, { name = null, categoryId = null, status }, expected) {
      const values = {
        ...guardOf(expected),
        id,
        name,
        categoryId,
        status: status ?? null,
        keepsStatus: Number(status === undefined),
      };
      return write(changed, values, expected);
    },
    remove: (id, expected) => write(removed, { id, categoryId: null, ...guardOf(expected) }, expected),
    async find(id) {
      const row = found.get({ id });
      return row && toPet(row);
    },
    async list(page) {
      return lists(page);
    },
    async countByDay(wanted) {
      return tallied.all({ ...wanted });
    },
  };
};
