import type { components } from "../../../client/types/store.d.ts";
import type { Animal, NewAnimal } from "./statistics.ts";

type Change = components["schemas"]["PetChange"];

/** The merge patch (RFC 7396) from one to the other: only the fields that differ. */
export const changeOf = (before: Animal, after: NewAnimal): Change => ({
  ...(after.name !== before.name && { name: after.name }),
  // Either may be a bigint, with the same digits.
  ...(String(after.categoryId) !== String(before.categoryId) && { categoryId: after.categoryId }),
  ...(after.status !== before.status && { status: after.status ?? null }),
});
