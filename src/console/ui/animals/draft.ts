import { integerOf } from "../parts/integer.ts";
import type { Animal, NewAnimal } from "./statistics.ts";
import type { Status } from "./statuses.ts";

/** What the fields of an animal's form hold. */
export interface Draft {
  name: string;
  category: string;
  /** "": without one. */
  status: string;
}

export const EMPTY: Draft = { name: "", category: "", status: "available" };

export const draftOf = ({ name, categoryId, status }: Omit<Animal, "id">): Draft => ({
  name,
  category: String(categoryId),
  status: status ?? "",
});

/** The animal that was typed. */
export const newAnimalOf = ({ name, category, status }: Draft): NewAnimal => ({
  name,
  categoryId: integerOf(category),
  ...(status && { status: status as Status }),
});

const FIELDS = ["name", "category", "status"] as const;

/** What was typed, brought over to what the animal is by now: what nobody typed at shows what it is. */
export const rebaseDraft = (typed: Draft, before: Draft, now: Draft): Draft => {
  const pairs = FIELDS.map((field) => [field, (typed[field] === before[field] ? now : typed)[field]]);
  return Object.fromEntries(pairs);
};

/** The fields that somebody else gave another value than was typed, with his. */
export const conflictingFields = (typed: Draft, before: Draft, now: Draft): Partial<Draft> =>
  Object.fromEntries(
    FIELDS.filter(
      (field) =>
        typed[field] !== before[field] && now[field] !== before[field] && typed[field] !== now[field],
    ).map((field) => [field, now[field]]),
  );
