import { and, asc, count, eq, gt, max, sql } from "drizzle-orm";
import type { Keep } from "../db/answers.ts";
import { exact } from "../db/int64.ts";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema.ts";

export type { Keep } from "../db/answers.ts";

const DAY_MS = 86_400_000;

export type PetStatus = "available" | "pending" | "sold";

export interface NewPet {
  name: string;
  /** Any int64. */
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: number;
}

/** What is absent stays; a status of null is none. */
export interface PetChange {
  name?: string;
  categoryId?: bigint;
  status?: PetStatus | null;
}

export interface PetPage {
  /** Only animals with an id above this one. */
  after: number;
  limit: number;
  status: PetStatus | undefined;
}

/** Animals that were added on one UTC day. */
export interface Tally {
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
  /** Stores the animal under an id that was never given out; answers when it is on disk. */
  add(pet: NewPet, now: number, keep?: Keep<Pet>): Promise<Pet>;
  /** Changes the animal in one atomic step; undefined if there is none. */
  change(id: number, change: PetChange): Promise<Pet | undefined>;
  find(id: number): Promise<Pet | undefined>;
  /** Ascending by id; every page costs the same, however deep it lies. */
  list(page: PetPage): Promise<Pet[]>;
  /** Counts the next `limit` animals behind `after`, ascending by id, by the day that they were added on. */
  tally(slice: { after: number; limit: number }): Promise<Tally[]>;
}

/** What a list filtered by status has to read. */
const OF_STATUS = { id: pets.id, name: pets.name, categoryId: exact(pets.categoryId) };
const COLUMNS = { ...OF_STATUS, status: pets.status };

interface Row {
  id: number;
  name: string;
  categoryId: bigint;
  status: PetStatus | null;
}

const toPet = ({ status, ...row }: Row): Pet => (status === null ? row : { ...row, status });

const withStatus =
  (status: PetStatus) =>
  (row: Omit<Row, "status">): Pet => ({ ...row, status });

export const petRepository = ({ orm, commit }: Database): Pets => {
  const value = sql.placeholder;
  const inserted = orm
    .insert(pets)
    .values({
      name: value("name"),
      categoryId: value("categoryId"),
      status: value("status"),
      createdAt: value("createdAt"),
    })
    .returning({ id: pets.id })
    .prepare();
  const changed = orm
    .update(pets)
    .set({
      name: sql`coalesce(${value("name")}, ${pets.name})`,
      categoryId: sql`coalesce(${value("categoryId")}, ${pets.categoryId})`,
      status: sql`iif(${value("keepsStatus")}, ${pets.status}, ${value("status")})`,
    })
    .where(eq(pets.id, value("id")))
    .returning(COLUMNS)
    .prepare();
  const found = orm
    .select(COLUMNS)
    .from(pets)
    .where(eq(pets.id, value("id")))
    .limit(1)
    .prepare();
  const behind = gt(pets.id, value("after"));
  const listed = orm
    .select(COLUMNS)
    .from(pets)
    .where(behind)
    .orderBy(asc(pets.id))
    .limit(value("limit"))
    .prepare();
  // The filter says the status of every row: not to read it pays for what finding each row by the index costs.
  const listedByStatus = orm
    .select(OF_STATUS)
    .from(pets)
    .where(and(eq(pets.status, value("status")), behind))
    .orderBy(asc(pets.id))
    .limit(value("limit"))
    .prepare();
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

  return {
    async add(pet, createdAt, keep) {
      const values = { ...pet, status: pet.status ?? null, createdAt };
      const [[row]] = await commit(
        [{ query: inserted, values }],
        keep && (([[added]]) => added && keep({ id: added.id, ...pet })),
      );
      if (!row) throw new Error("an insert returned no row");
      return { id: row.id, ...pet };
    },
    async change(id, { name = null, categoryId = null, status }) {
      const values = {
        id,
        name,
        categoryId,
        status: status ?? null,
        keepsStatus: Number(status === undefined),
      };
      const [[row]] = await commit([{ query: changed, values }]);
      return row && toPet(row);
    },
    async find(id) {
      const row = found.get({ id });
      return row && toPet(row);
    },
    async list({ status, ...page }) {
      if (status === undefined) return listed.all({ ...page }).map(toPet);
      return listedByStatus.all({ ...page, status }).map(withStatus(status));
    },
    async tally(wanted) {
      return tallied.all({ ...wanted });
    },
  };
};
