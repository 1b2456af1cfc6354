import type { Context } from "../../data/context.ts";
import { Fault, fieldFault } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import type { FieldProblem } from "../../lib/field-problems.ts";
import { type Page, cutPage, filterOf, readCursor, readTextCursor } from "../../lib/pagination.ts";
import {
  type NewPet,
  type Pet,
  type PetChange,
  type PetFilters,
  type PetSort,
  hasKeys,
  sortKeyOf,
} from "./pet.ts";
import {
  petRepository,
  type RequestIndex,
  type StoreResponse,
  type StoredPet,
  type WriteResult,
} from "./repository.ts";

export interface ListPets extends PetFilters {
  sort: PetSort;
  limit: number;
  /** From the previous page. */
  cursor?: string | undefined;
}

const notFound = () => new Fault("not_found", "There is no animal with this id.");

const uncategorized = () => fieldFault("category_not_found", { field: "categoryId", rule: "not_found" });

/** @param heldFields the fields that an open order keeps from changing */
const faultOf = (
  result: Exclude<WriteResult, { pet: Pet }>,
  heldFields: readonly FieldProblem[] = [],
): Fault => {
  if (result.refused === "not_found") return notFound();
  if (result.refused === "category_not_found") return uncategorized();
  if (result.refused !== "pet_in_order") return new Fault(result.refused);
  return new Fault(
    "pet_in_order",
    `The open order ${result.order} holds the animal: complete or cancel order ${result.order} first.`,
    undefined,
    heldFields,
  );
};

/** @throws Fault if nothing was written */
const assertWritten = (result: WriteResult, heldFields?: readonly FieldProblem[]): Pet => {
  if ("pet" in result) return result.pet;
  throw faultOf(result, heldFields);
};

/** A change of one animal, if the animal passes `isExpected`. */
export interface PetChangeRequest {
  id: number;
  change: PetChange;
  isExpected?: ((pet: StoredPet) => boolean) | undefined;
}

/** The changed animal, or why it was not changed. */
export type PetChangeResult = { id: number; pet: Pet } | { id: number; fault: Fault };

/** No animal has it. */
const OTHER_REVISION = -1;

/** A cursor is valid for this list, these filters and this order only. Filters that can be long are hashed. */
export const cursorScope = ({
  sort,
  status,
  categoryId,
  q,
  ids,
  ...others
}: Omit<ListPets, "limit" | "cursor">): string => {
  const short = `pets:${status ?? ""}${categoryId === undefined ? "" : `:${categoryId}`}`;
  return filterOf("pets", short, [q, ids, ...(sort === "id" ? [] : [sort])], others);
};

/** @throws Fault invalid_cursor */
const timeOf = (text: string): number => {
  const time = Number(text);
  if (text === "" || !Number.isSafeInteger(time))
    throw fieldFault("invalid_cursor", { field: "cursor", rule: "format" });
  return time;
};

/** @throws Fault invalid_cursor */
const positionOf = (cursor: string, scope: string, list: Omit<ListPets, "limit">) => {
  if (!hasKeys(list)) return { id: readCursor(cursor, scope) };
  const { after, text } = readTextCursor(cursor, scope);
  return { id: after, key: sortKeyOf(list.sort) === "name" ? text : timeOf(text) };
};

/** @param requestIndex lets another process index animals before a search */
export const openPets = (
  { config: { strictCategories }, database, clock }: Context,
  requestIndex?: RequestIndex,
) => {
  const pets = petRepository(database, { strictCategories, requestIndex });
  return {
    /** @throws Fault invalid_cursor */
    async list({ limit, cursor, ...query }: ListPets): Promise<Page<Pet>> {
      const scope = cursorScope(query);
      const after = cursor === undefined ? undefined : positionOf(cursor, scope, query);
      // One more than the limit shows whether another page follows.
      const found = await pets.list({ after, limit: limit + 1, ...query });
      return cutPage(found, limit, scope, ({ key }) => key?.toString());
    },
    /** @param keep stores the response in the same transaction. @throws Fault category_not_found */
    async add(pet: NewPet, actor: Actor, keep?: StoreResponse<Pet>): Promise<Pet> {
      const added = await pets.add(pet, { actor, now: clock.now() }, keep);
      if (!added) throw uncategorized();
      return added;
    },
    /**
     * Changes the animal in one atomic step, if it still is `expected`.
     * @throws Fault not_found, category_not_found, precondition_failed; pet_in_order for a new status while an open order
     *   holds the animal
     */
    change: async (id: number, change: PetChange, actor: Actor, expected?: StoredPet): Promise<Pet> =>
      assertWritten(await pets.change(id, change, { actor, now: clock.now() }, expected), [
        { field: "status", rule: "conflict" },
      ]),
    /**
     * Changes many animals in one transaction, each as `change` does, and in this order. A change that is refused stops no
     * other.
     * @param keep stores the response in the same transaction
     */
    async changeMany(
      requests: readonly PetChangeRequest[],
      actor: Actor,
      keep?: StoreResponse<PetChangeResult[]>,
    ): Promise<PetChangeResult[]> {
      const toResults = (written: readonly WriteResult[]): PetChangeResult[] =>
        written.map((result, at) => {
          const id = requests[at]?.id ?? 0;
          return "pet" in result ? { id, pet: result.pet } : { id, fault: faultOf(result) };
        });
      const requested = requests.map(({ id, change, isExpected }) => {
        const present = isExpected && pets.find(id);
        if (!present) return { id, change };
        return {
          id,
          change,
          expected: isExpected(present) ? present : { ...present, revision: OTHER_REVISION },
        };
      });
      const written = await pets.changeMany(
        requested,
        { actor, now: clock.now() },
        keep && ((results) => keep(toResults(results))),
      );
      return toResults(written);
    },
    /**
     * Deletes the animal in one atomic step, if it still is `expected`.
     * @throws Fault not_found, precondition_failed; pet_in_order while an open order holds the animal
     */
    async remove(id: number, actor: Actor, expected?: StoredPet): Promise<void> {
      assertWritten(await pets.remove(id, { actor, now: clock.now() }, expected));
    },
    /** @throws Fault not_found */
    get(id: number): StoredPet {
      const pet = pets.find(id);
      if (!pet) throw notFound();
      return pet;
    },
    counts: pets.counts,
    indexing: pets.indexing,
    makeWords: pets.makeWords,
  };
};

export type PetService = ReturnType<typeof openPets>;
