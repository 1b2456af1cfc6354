import type { components } from "../../../../client/types/store.d.ts";
import type { Int64 } from "../api/client.ts";
import { type FormWords, NAME } from "../parts/field-words.ts";
import { integerOf } from "../parts/address.ts";
import type { Tone } from "../parts/tone.ts";

export type Animal = components["schemas"]["Pet"];
export type NewAnimal = components["schemas"]["NewPet"];

/** An animal with its ETag, which identifies this version of it. */
export interface AnimalVersion {
  animal: Animal;
  tag: string;
}

export type Status = components["schemas"]["PetStatus"];

export const STATUSES = ["available", "pending", "sold"] as const satisfies readonly Status[];

/** The names that people read. The API calls an adopted animal `sold`. */
export const STATUS_NAMES: Record<Status, string> = {
  available: "available",
  pending: "pending",
  sold: "adopted",
};

export const TONES: Record<Status, Tone> = { available: "good", pending: "waiting", sold: "quiet" };

export const isStatus = (text: string | undefined): text is Status =>
  (STATUSES as readonly (string | undefined)[]).includes(text);

export const NO_STATUS = "No status";

export const STATUS_OPTIONS = [
  ["", NO_STATUS],
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Adopted"],
] as const;

/** A category whose name is not known. */
export const categoryNo = (id: Int64 | string): string => `Category ${id}`;

/** What an edit has changed, or that it has changed more than one thing. */
export const editedWords = (before: Animal, now: Animal, categoryName: string): string => {
  const name = `“${now.name}”`;
  const changes: string[] = [];
  if (before.name !== now.name) changes.push(`“${before.name}” renamed to ${name}`);
  if (before.status !== now.status)
    changes.push(
      now.status ? `${name} is now ${STATUS_NAMES[now.status]}` : `${name} no longer has a status`,
    );
  if (String(before.categoryId) !== String(now.categoryId))
    changes.push(`${name} moved to “${categoryName}”`);
  const [only = "Nothing changed"] = changes;
  return changes.length > 1 ? `${name} changed` : only;
};

export const HELD = "This animal has an open adoption. Complete or cancel the adoption first.";

export const FIELDS: FormWords = {
  name: NAME,
  categoryId: {
    missing: "Choose a category from the list, or create it.",
    otherwise: "Choose a category from the list, or create it.",
    rules: { not_found: "This category no longer exists. Choose another." },
  },
  status: { rules: { conflict: HELD } },
};

export interface Draft {
  name: string;
  category: string;
  /** "": no status. */
  status: string;
}

export const EMPTY_DRAFT: Draft = { name: "", category: "", status: "available" };

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

const DRAFT_FIELDS = ["name", "category", "status"] as const;

export const isSameDraft = (one: Draft, other: Draft): boolean =>
  DRAFT_FIELDS.every((field) => one[field] === other[field]);

/** Applies the user's edits to the current animal: fields that the user has not changed show its values. */
export const rebaseDraft = (typed: Draft, before: Draft, now: Draft): Draft => {
  const pairs = DRAFT_FIELDS.map((field) => [field, (typed[field] === before[field] ? now : typed)[field]]);
  return Object.fromEntries(pairs);
};

/** The fields that this user and another have changed differently, with the other user's values. */
export const conflictingFields = (typed: Draft, before: Draft, now: Draft): Partial<Draft> =>
  Object.fromEntries(
    DRAFT_FIELDS.filter(
      (field) =>
        typed[field] !== before[field] && now[field] !== before[field] && typed[field] !== now[field],
    ).map((field) => [field, now[field]]),
  );

/** The merge patch (RFC 7396) from one to the other: only the fields that differ. */
export const changeOf = (before: Animal, after: NewAnimal): components["schemas"]["PetChange"] => ({
  ...(after.name !== before.name && { name: after.name }),
  // Either may be a bigint, with the same digits.
  ...(String(after.categoryId) !== String(before.categoryId) && { categoryId: after.categoryId }),
  ...(after.status !== before.status && { status: after.status ?? null }),
});
