import type { Clock } from "../time.ts";
import { Fault } from "../http/faults.ts";
import { type Page, cutPage, readCursor } from "../page.ts";
import type { Keep, NewPet, Pet, PetChange, PetStatus, Pets } from "./repository.ts";

export interface ListPets {
  limit: number;
  status: PetStatus | undefined;
  /** As a page before gave it. */
  cursor: string | undefined;
}

export interface PetService {
  /** @throws Fault invalid_cursor */
  list(query: ListPets): Promise<Page<Pet>>;
  /** @param keep of the same commit */
  add(pet: NewPet, keep?: Keep<Pet>): Promise<Pet>;
  /** @throws Fault not_found */
  change(id: number, change: PetChange): Promise<Pet>;
  /** @throws Fault not_found */
  get(id: number): Promise<Pet>;
}

const assertFound = (pet: Pet | undefined): Pet => {
  if (!pet) throw new Fault("not_found", "There is no animal with this id.");
  return pet;
};

export const petService = ({ pets, clock }: { pets: Pets; clock: Clock }): PetService => ({
  async list({ limit, status, cursor }) {
    // A cursor holds for its own list and filter.
    const filter = `pets:${status ?? ""}`;
    const after = cursor === undefined ? 0 : readCursor(cursor, filter);
    // One more than asked for tells whether more follow.
    return cutPage(await pets.list({ after, limit: limit + 1, status }), limit, filter);
  },
  add: (pet, keep) => pets.add(pet, clock.now(), keep),
  change: async (id, change) => assertFound(await pets.change(id, change)),
  get: async (id) => assertFound(await pets.find(id)),
});
