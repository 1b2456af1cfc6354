import { sql } from "drizzle-orm";
import type { Database } from "../../../data/db/open.ts";
import { petEvents, pets } from "../../../data/db/schema/pets.ts";
import { columnsOf, statement, value } from "../../../data/db/statement.ts";
import type { Pet } from "../pet.ts";
import { type Row, toPet } from "../queries.ts";

/** The newest events are kept. */
export const MAX_EVENTS = 1_000_000;
/** Rows that one slice of a sweep deletes. */
const SLICE_ROWS = 1000;

type Stored = typeof petEvents.$inferSelect;

/** A change to an animal. Triggers write it in the transaction of the change (migrations 0016 and 0020). */
export interface PetEvent extends Stored {
  /** As it is now; undefined if it has been deleted. */
  pet: Pet | undefined;
}

// Separate statements: SQLite looks each up at one end of the key, but scans the table for both together.
const OLDEST = statement<{ id: number | null }>(sql`SELECT min(${petEvents.id}) AS id FROM ${petEvents}`);
const NEWEST = statement<{ id: number | null }>(sql`SELECT max(${petEvents.id}) AS id FROM ${petEvents}`);

const LAST_USED = statement<{ id: number }>(
  sql`SELECT seq AS id FROM sqlite_sequence WHERE name = 'pet_events'`,
);

const LIST = statement(sql`
  SELECT ${columnsOf(petEvents)}, ${columnsOf(pets, "name", "categoryId", "status")}
  FROM ${petEvents}
  LEFT JOIN ${pets} ON ${pets.id} = ${petEvents.petId}
  WHERE ${petEvents.id} > ${value("after")}
  ORDER BY ${petEvents.id}
  LIMIT ${value("limit")}`).as(
  ({
    id,
    kind,
    petId,
    name,
    ...rest
  }: Stored & Omit<Row, "id" | "name"> & { name: string | null }): PetEvent => ({
    id,
    kind,
    petId,
    pet: name === null ? undefined : toPet({ id: petId, name, ...rest }),
  }),
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
