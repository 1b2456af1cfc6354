import type { Clock } from "../clock.ts";
import { Fault } from "../http/faults.ts";
import { type Page, cutPage, readCursor } from "../page.ts";
import type { NewPet, Pet, PetStatus, Pets } from "./repository.ts";

export interface ListPets {
  limit: number;
  status: PetStatus | undefined;
  /** As a page before gave it. */
  cursor: string | undefined;
}

export interface PetService {
  /** @throws Fault invalid_cursor */
  list(query: ListPets): Promise<Page<Pet>>;
  add(pet: NewPet): Promise<Pet>;
  /** @throws Fault not_found for whatever is no animal's id, digits or not */
  get(id: string): Promise<Pet>;
}

/** Ids are written in plain digits and stay below 2^53. */
const ID = /^[1-9][0-9]{0,15}$/;

export const petService = ({ pets, clock }: { pets: Pets; clock: Clock }): PetService => ({
  async list({ limit, status, cursor }) {
    const filter = status ?? "";
    const after = cursor === undefined ? 0 : readCursor(cursor, filter);
    // One more than asked for tells whether more follow.
    return cutPage(await pets.list({ after, limit: limit + 1, status }), limit, filter);
  },
  add: (pet) => pets.add(pet, clock.now()),
  async get(id) {
    const pet = ID.test(id) && Number.isSafeInteger(Number(id)) ? await pets.find(Number(id)) : undefined;
    if (!pet) throw new Fault("not_found", "There is no animal with this id.");
    return pet;
  },
});
