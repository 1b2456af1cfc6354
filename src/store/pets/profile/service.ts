import type { Context } from "../../../data/context.ts";
import type { Actor } from "../../../lib/actor.ts";
import { Fault, fieldFault } from "../../../lib/errors.ts";
import type { Field } from "../fields/field.ts";
import type { Members, Profile } from "./profile.ts";
import { profileRepository, type StoredProfile, type WriteResult } from "./repository.ts";

const faultOf = (result: Exclude<WriteResult, Profile>): Fault =>
  result.refused === "not_found"
    ? new Fault("not_found", "There is no animal with this id.")
    : fieldFault(
        "reference_taken",
        { field: "reference", rule: "taken" },
        `Animal ${result.petId} already has this reference: choose another, or change that animal first.`,
      );

/** @throws Fault internal_error if the stored profile is damaged */
const profileOf = (petId: number, { createdAt, updatedAt, members }: StoredProfile): Profile => {
  if (members) return { createdAt, updatedAt, members };
  throw new Fault(
    "internal_error",
    `The stored profile of animal ${petId} is damaged: replace it with PUT /pets/${petId}/profile, without If-Match.`,
  );
};

/** Profiles of animals. */
export const openProfiles = ({ database, clock }: Context) => {
  const profiles = profileRepository(database);
  return {
    /** The profile of an animal; without members if it has none. @throws Fault not_found, internal_error */
    get(petId: number): Profile {
      const found = profiles.find(petId);
      if (!found) throw faultOf({ refused: "not_found" });
      return profileOf(petId, found);
    },
    /** The profiles of animals by their ids. A damaged one has no members. */
    getMany: profiles.findMany,
    /**
     * Replaces the profile by what `next` makes of it, in one atomic step.
     * @param next called in the transaction; `present` throws if the stored profile is damaged
     * @param expect called after it, with the profile before
     * @throws Fault not_found, reference_taken, and the faults of `next` and `expect`
     */
    async change(
      petId: number,
      next: (present: () => Members, fields: readonly Field[], now: number) => Members,
      actor: Actor,
      expect?: (before: Profile) => void,
    ): Promise<Profile> {
      const now = clock.now();
      const result = await profiles.write(
        petId,
        (stored) => {
          const present = () => profileOf(petId, stored);
          const members = next(() => present().members, stored.fields, now);
          expect?.(present());
          return members;
        },
        { actor, now },
      );
      if ("refused" in result) throw faultOf(result);
      return result;
    },
  };
};

export type ProfileService = ReturnType<typeof openProfiles>;
