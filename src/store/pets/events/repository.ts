import { sql } from "drizzle-orm";
import type { Database } from "../../../data/db/open.ts";
import { petEvents, pets } from "../../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../../data/db/statement.ts";
import type { Pet } from "../pet.ts";
import { toPet } from "../queries.ts";

/** The newest events are kept. */
export const MAX_EVENTS = 1_000_000;
/** Rows that one slice of a sweep deletes. */
const SLICE_ROWS = 1000;

type Stored = typeof petEvents.$inferSelect;

/** A change to an animal. Triggers write it in the transaction of the change (migrations 0016, 0020 and 0025). */
export interface PetEvent extends Pick<Stored, "id" | "kind" | "petId" | "part"> {
  /** The animal after the change; undefined for a deletion. */
  pet: Pet | undefined;
}

// Separate statements: SQLite looks each up at one end of the key, but scans the table for both together.
const OLDEST = statement<{ id: number | null }>(sql`SELECT min(${petEvents.id}) AS id FROM ${petEvents}`);
const NEWEST = statement<{ id: number | null }>(sql`SELECT max(${petEvents.id}) AS id FROM ${petEvents}`);

const LAST_USED = statement<{ id: number }>(
  sql`SELECT seq AS id FROM sqlite_sequence WHERE name = 'pet_events'`,
);

// An event of an earlier version lacks its animal: the present one stands for it. If that is gone, the event is its deletion.
const LIST = statement(sql`
  SELECT ${columnsOf(petEvents, "id", "kind", "petId", "part")},
    coalesce(${petEvents.name}, ${pets.name}) AS name,
    CAST(coalesce(${petEvents.categoryId}, ${pets.categoryId}) AS TEXT) AS categoryId,
    iif(${petEvents.name} IS NULL, ${pets.status}, ${petEvents.status}) AS status
  FROM ${petEvents}
  LEFT JOIN ${pets} ON ${pets.id} = ${petEvents.petId}
  WHERE ${petEvents.id} > ${value("after")}
  ORDER BY ${petEvents.id}
  LIMIT ${value("limit")}`).as(
  ({
    id,
    kind,
    petId,
    part,
    name,
    categoryId,
    status,
  }: Omit<Stored, "categoryId"> & { categoryId: string }): PetEvent =>
    name === null
      ? { id, kind: "deleted", petId, part: null, pet: undefined }
      : { id, kind, petId, part, pet: toPet({ id: petId, name, categoryId: BigInt(categoryId), status }) },
);

const DELETE = statement(sql`
  DELETE FROM ${petEvents}
  WHERE ${petEvents.id} IN (
    SELECT ${petEvents.id} FROM ${petEvents} WHERE ${petEvents.id} <= ${value("id")}
    ORDER BY ${petEvents.id} LIMIT ${SLICE_ROWS})`);

export const petEventRepository = ({ client, commit }: Database) => {
  /**
   * The ids of the oldest and the newest event that are kept, without gaps in between. If none is kept, `newest` is the last
   * id that was used, 0 before the first, and `oldest` the one after it.
   */
  const bounds = (): { oldest: number; newest: number } => {
    const [oldest, newest] = [OLDEST.get(client)?.id, NEWEST.get(client)?.id];
    if (oldest && newest) return { oldest, newest };
    const lastUsed = LAST_USED.get(client)?.id ?? 0;
    return { oldest: lastUsed + 1, newest: lastUsed };
  };

  return {
    bounds,
    /** The next events after an id, ascending. */
    listAfter: (after: number, limit: number): PetEvent[] => LIST.all(client, { after, limit }),
    /** Deletes some of the events beyond the newest; true if there may be more. */
    async sweep(maxEvents = MAX_EVENTS): Promise<boolean> {
      const { oldest, newest } = bounds();
      const id = newest - maxEvents;
      if (oldest > id) return false;
      await commit([DELETE.with({ id })]);
      return id - oldest >= SLICE_ROWS;
    },
  };
};

export type PetEvents = ReturnType<typeof petEventRepository>;
