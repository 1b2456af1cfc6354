import { asc, eq, gt, inArray, lte, max, min, sql } from "drizzle-orm";
import { exact } from "../../db/columns.ts";
import type { Database } from "../../db/open.ts";
import { petEvents, pets } from "../../db/schema/pets.ts";
import type { Pet } from "../pet.ts";

/** The newest events are kept. */
export const MAX_EVENTS = 1_000_000;
/** Rows that one slice of a sweep deletes. */
const SLICE_ROWS = 1000;

/** A change to an animal. Triggers write it in the transaction of the change (migrations 0016 and 0020). */
export interface PetEvent {
  id: number;
  kind: "added" | "changed" | "deleted";
  petId: number;
  /** As it is now; undefined if it has been deleted. */
  pet: Pet | undefined;
}

export const petEventRepository = ({ orm, commit }: Database) => {
  const value = sql.placeholder;
  // Separate statements: SQLite looks each up at one end of the key, but scans the table for both together.
  const oldestStatement = orm
    .select({ id: min(petEvents.id) })
    .from(petEvents)
    .prepare();
  const newestStatement = orm
    .select({ id: max(petEvents.id) })
    .from(petEvents)
    .prepare();
  const listStatement = orm
    .select({
      id: petEvents.id,
      kind: petEvents.kind,
      petId: petEvents.petId,
      name: pets.name,
      categoryId: exact(pets.categoryId),
      status: pets.status,
    })
    .from(petEvents)
    .leftJoin(pets, eq(pets.id, petEvents.petId))
    .where(gt(petEvents.id, value("after")))
    .orderBy(asc(petEvents.id))
    .limit(value("limit"))
    .prepare();
  const deleteStatement = orm
    .delete(petEvents)
    .where(
      inArray(
        petEvents.id,
        orm
          .select({ id: petEvents.id })
          .from(petEvents)
          .where(lte(petEvents.id, value("id")))
          .orderBy(asc(petEvents.id))
          .limit(SLICE_ROWS),
      ),
    )
    .prepare();

  const sequenceStatement = orm
    .select({ id: sql<number>`seq` })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'pet_events'`)
    .limit(1)
    .prepare();

  /**
   * The ids of the oldest and the newest event that are kept, without gaps in between. If none is kept, `newest` is the last
   * id that was used, 0 before the first, and `oldest` the one after it.
   */
  const bounds = (): { oldest: number; newest: number } => {
    const [oldest, newest] = [oldestStatement.get()?.id, newestStatement.get()?.id];
    if (oldest && newest) return { oldest, newest };
    const lastUsed = sequenceStatement.get()?.id ?? 0;
    return { oldest: lastUsed + 1, newest: lastUsed };
  };

  return {
    bounds,
    /** The next events after an id, ascending. */
    listAfter: (after: number, limit: number): PetEvent[] =>
      listStatement.all({ after, limit }).map(({ id, kind, petId, name, categoryId, status }) => ({
        id,
        kind,
        petId,
        pet: name === null ? undefined : { id: petId, name, categoryId, ...(status !== null && { status }) },
      })),
    /** Deletes some of the events beyond the newest; true if there may be more. */
    async sweep(maxEvents = MAX_EVENTS): Promise<boolean> {
      const { oldest, newest } = bounds();
      const id = newest - maxEvents;
      if (oldest > id) return false;
      await commit([{ query: deleteStatement, values: { id } }]);
      return id - oldest >= SLICE_ROWS;
    },
  };
};

export type PetEvents = ReturnType<typeof petEventRepository>;
