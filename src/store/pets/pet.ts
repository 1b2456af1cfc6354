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

/** The orders of a list. In an order by name, animals with the same name are in the order of ids. */
export const PET_SORTS = ["id", "-id", "name", "-name"] as const;
export type PetSort = (typeof PET_SORTS)[number];

export const isByName = (sort: PetSort): boolean => sort === "name" || sort === "-name";

/** The filters of a list that compare a field of an animal. */
export interface FieldFilters {
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
}

/** The filters of a list. Its animals match all of them. */
export interface PetFilters extends FieldFilters {
  /** Every word of this text begins a word of the animal's name, or it is the animal's id. */
  q?: string | undefined;
  ids?: readonly number[] | undefined;
}
