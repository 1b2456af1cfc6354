import type { WordFilters } from "./filter-words.ts";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** The name of a status in human-readable output. The API, JSON and CSV call an adopted animal `sold`. */
export const petStatusName = (status: PetStatus): string => (status === "sold" ? "adopted" : status);

/** The status that people may also write by its name, in any case; undefined if the text is not one. */
export const parsePetStatus = (text: string): PetStatus | undefined => {
  const name = text.trim().toLowerCase();
  return PET_STATUSES.find((status) => name === status || name === petStatusName(status));
};

export interface NewPet {
  name: string;
  /** Any int64. */
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: number;
}

/** A merge patch: absent fields keep their value, and `null` clears the status. */
export interface PetChange {
  name?: string;
  categoryId?: bigint;
  status?: PetStatus | null;
}

/** The keys of the orders of a list. Animals with the same key are in the order of ids. */
const SORT_KEYS = ["id", "name", "createdAt", "updatedAt"] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export type PetSort = SortKey | `-${SortKey}`;
export const PET_SORTS: readonly PetSort[] = SORT_KEYS.flatMap((key) => [key, `-${key}` as const]);

export const isDescending = (sort: PetSort): boolean => sort.startsWith("-");
export const sortKeyOf = (sort: PetSort): SortKey => (isDescending(sort) ? sort.slice(1) : sort) as SortKey;

/** True if the cursors of a list have more than the id of an animal. */
export const hasKeys = ({
  sort,
  updatedSince,
}: {
  sort: PetSort;
  updatedSince?: number | undefined;
}): boolean => sortKeyOf(sort) !== "id" || updatedSince !== undefined;

/** The filters of a list that compare a field of an animal. */
export interface FieldFilters {
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
}

/** The filters of a list. Its animals match all of them. */
export interface PetFilters extends FieldFilters, WordFilters {
  /** Every word of this text begins a word of the animal's name, or it is the animal's id. */
  q?: string | undefined;
  ids?: readonly number[] | undefined;
  /** Milliseconds UTC: the animals that were added or changed then or later. */
  updatedSince?: number | undefined;
}
