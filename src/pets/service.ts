import type { Clock } from "../lib/time.ts";
import { Fault } from "../lib/errors.ts";
import { type Page, cutPage, readCursor } from "../lib/pagination.ts";
import type { Keep, NewPet, WriteResult, Pet, PetChange, PetStatus, Pets } from "./repository.ts";

export interface ListPets {
  limit: number;
  status: PetStatus | undefined;
  categoryId?: bigint | undefined;
  /** Words that all begin words of the name. */
  q?: string | undefined;
  /** Only these. */
  ids?: readonly number[] | undefined;
  /** As a page before gave it. */
  cursor: string | undefined;
}

export interface PetService {
  /** @throws Fault invalid_cursor */
  list(query: ListPets): Promise<Page<Pet>>;
  /** @param keep of the same commit. @throws Fault category_not_found */
  add(pet: NewPet, keep?: Keep<Pet>): Promise<Pet>;
  /**
   * Changes the animal, in one atomic step, if it is still as `expected`.
   * @throws Fault not_found, category_not_found, precondition_failed; pet_in_order for the status of one that an open order holds
   */
  change(id: number, change: PetChange, expected?: Pet): Promise<Pet>;
  /**
   * Deletes the animal, in one atomic step, if it is still as `expected`.
   * @throws Fault not_found, precondition_failed; pet_in_order while an open order holds it
   */
  remove(id: number, expected?: Pet): Promise<void>;
  /** @throws Fault not_found */
  get(id: number): Promise<Pet>;
}

const missing = () => new Fault("not_found", "There is no animal with this id.");

const assertFound = (pet: Pet | undefined): Pet => {
  if (!pet) throw missing();
  return pet;
};

const assertDone = (outcome: WriteResult): Pet => {
  if ("pet" in outcome) return outcome.pet;
  if (outcome.refused === "missing") throw missing();
  if (outcome.refused === "different") throw new Fault("precondition_failed");
  if (outcome.refused === "uncategorized") throw new Fault("category_not_found");
  throw new Fault(
    "pet_in_order",
    `The open order ${outcome.order} holds the animal: complete or cancel order ${outcome.order} first.`,
  );
};

/** A list and its filters, short whatever these are: a cursor holds for them only. */
export const cursorScope = ({ status, categoryId, q, ids }: Omit<ListPets, "limit" | "cursor">): string => {
  const plain = `pets:${status ?? ""}${categoryId === undefined ? "" : `:${categoryId}`}`;
  if (q === undefined && ids === undefined) return plain;
  const text = JSON.stringify([plain, q, ids]);
  return `pets:${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22)}`;
};

export const petService = ({ pets, clock }: { pets: Pets; clock: Clock }): PetService => ({
  async list({ limit, cursor, ...filters }) {
    const filter = cursorScope(filters);
    const after = cursor === undefined ? 0 : readCursor(cursor, filter);
    // One more than asked for tells whether more follow.
    return cutPage(await pets.list({ after, limit: limit + 1, ...filters }), limit, filter);
  },
  async add(pet, keep) {
    const added = await pets.add(pet, clock.now(), keep);
    if (!added) throw new Fault("category_not_found");
    return added;
  },
  change: async (id, change, expected) => assertDone(await pets.change(id, change, expected)),
  async remove(id, expected) {
    assertDone(await pets.remove(id, expected));
  },
  get: async (id) => assertFound(await pets.find(id)),
});
