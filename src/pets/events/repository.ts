import { asc, eq, gt, inArray, lte, max, min, sql } from "drizzle-orm";
import { exact } from "../../db/int64.ts";
import type { Database } from "../../db/open.ts";
import { petEvents, pets } from "../../db/schema/pets.ts";
import type { Pet } from "../pet.ts";

/** The newest that are kept. */
const MAX_EVENTS = 1_000_000;
/** Rows that one slice of a sweep removes. */
const SLICE = 1000;

/** Something that happened to an animal. */
export interface PetEvent {
  id: number;
  kind: "added" | "changed" | "deleted";
  petId: number;
  /** As it is now; undefined if it has gone. */
  pet: Pet | undefined;
}

export interface PetEvents {
  /**
   * The ids of the first and the last that are kept: all between are there. While none is kept `newest` is the last that was
   * given out, 0 before any was, and `oldest` the next.
   */
  bounds(): { oldest: number; newest: number };
  /** The next behind an id, ascending. */
  behind(id: number, limit: number): PetEvent[];
  /** Removes some of those beyond the newest; true if there may be more. */
  sweep(most?: number): Promise<boolean>;
}

export const petEventRepository = ({ orm, commit }: Database): PetEvents => {
  const value = sql.placeholder;
  // One at a time: SQLite finds each at its end of the key, both together it would count through.
  const first = orm
    .select({ id: min(petEvents.id) })
    .from(petEvents)
    .prepare();
  const last = orm
    .select({ id: max(petEvents.id) })
    .from(petEvents)
    .prepare();
  const listed = orm
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
  const removed = orm
    .delete(petEvents)
    .where(
      inArray(
        petEvents.id,
        orm
          .select({ id: petEvents.id })
          .from(petEvents)
          .where(lte(petEvents.id, value("id")))
          .orderBy(asc(petEvents.id))
          .limit(SLICE),
      ),
    )
    .prepare();

  const given = orm
    .select({ id: sql<number>`seq` })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'pet_events'`)
    .limit(1)
    .prepare();

  const bounds = () => {
    const [oldest, newest] = [first.get()?.id, last.get()?.id];
    if (oldest && newest) return { oldest, newest };
    const before = given.get()?.id ?? 0;
    return { oldest: before + 1, newest: before };
  };

  return {
    bounds,
    behind: (after, limit) =>
      listed.all({ after, limit }).map(({ id, kind, petId, name, categoryId, status }) => ({
        id,
        kind,
        petId,
        pet: name === null ? undefined : { id: petId, name, categoryId, ...(status !== null && { status }) },
      })),
    async sweep(most = MAX_EVENTS) {
      const { oldest, newest } = bounds();
      const id = newest - most;
      if (oldest > id) return false;
      await commit([{ query: removed, values: { id } }]);
      return id - oldest >= SLICE;
    },
  };
};
