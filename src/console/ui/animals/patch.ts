import type { components } from "../api/store.d.ts";
import type { Animal, NewAnimal } from "./statistics.ts";

type Change = components["schemas"]["PetChange"];

/** The merge patch (RFC 7396) from one to the other: nothing of what stays. */
export const changeOf = (before: Animal, after: NewAnimal): Change => ({
  ...(after.name !== before.name && { name: after.name }),
  // One may be a bigint, which is written the same.
  ...(String(after.categoryId) !== String(before.categoryId) && { categoryId: after.categoryId }),
  ...(after.status !== before.status && { status: after.status ?? null }),
});
