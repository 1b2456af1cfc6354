import { and, asc, eq, gt, sql } from "drizzle-orm";
import { exact } from "../db/int64.ts";
import type { Database } from "../db/open.ts";
import { pets } from "../db/schema.ts";

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

export interface PetPage {
  /** Only animals with an id above this one. */
  after: number;
  limit: number;
  status: PetStatus | undefined;
}

export interface Pets {
  /** Stores the animal under an id that was never given out; answers when it is on disk. */
  add(pet: NewPet, now: number): Promise<Pet>;
  find(id: number): Promise<Pet | undefined>;
  /** Ascending by id; every page costs the same, however deep it lies. */
  list(page: PetPage): Promise<Pet[]>;
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

  return {
    async add(pet, createdAt) {
      const values = { ...pet, status: pet.status ?? null, createdAt };
      const [[row]] = await commit([{ query: inserted, values }]);
      if (!row) throw new Error("an insert returned no row");
      return { id: row.id, ...pet };
    },
    async find(id) {
      const row = found.get({ id });
      return row && toPet(row);
    },
    async list({ status, ...page }) {
      if (status === undefined) return listed.all({ ...page }).map(toPet);
      return listedByStatus.all({ ...page, status }).map(withStatus(status));
    },
  };
};
