export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export interface NewPet {
  name: string;
  /** Any int64. */
  categoryId: bigint;
  status?: PetStatus;
}

export interface Pet extends NewPet {
  id: number;
}

export interface PetPage {
  /** Only animals with an id above this one. */
  after: number;
  limit: number;
  status: PetStatus | undefined;
  categoryId?: bigint | undefined;
  /** Words that all begin words of the name. */
  q?: string | undefined;
  /** Only these. */
  ids?: readonly number[] | undefined;
}
