import { integerOf } from "../parts/integer.ts";
import type { Animal, NewAnimal } from "./statistics.ts";
import type { Status } from "./statuses.ts";

/** The fields of an animal's form. */
export interface Draft {
  name: string;
  category: string;
  /** "": no status. */
  status: string;
}

export const EMPTY: Draft = { name: "", category: "", status: "available" };

export const draftOf = ({ name, categoryId, status }: Omit<Animal, "id">): Draft => ({
  name,
  category: String(categoryId),
  status: status ?? "",
});

/** The animal that the form describes. */
export const newAnimalOf = ({ name, category, status }: Draft): NewAnimal => ({
  name,
  categoryId: integerOf(category),
  ...(status && { status: status as Status }),
});

const FIELDS = ["name", "category", "status"] as const;

export const isSameDraft = (one: Draft, other: Draft): boolean =>
  FIELDS.every((field) => one[field] === other[field]);

/** Applies what was typed to the current animal: fields that the user has not changed show its values. */
export const rebaseDraft = (typed: Draft, before: Draft, now: Draft): Draft => {
  const pairs = FIELDS.map((field) => [field, (typed[field] === before[field] ? now : typed)[field]]);
  return Object.fromEntries(pairs);
};

/** The fields that the user and somebody else have changed differently, with the other's values. */
export const conflictingFields = (typed: Draft, before: Draft, now: Draft): Partial<Draft> =>
  Object.fromEntries(
    FIELDS.filter(
      (field) =>
        typed[field] !== before[field] && now[field] !== before[field] && typed[field] !== now[field],
    ).map((field) => [field, now[field]]),
  );
