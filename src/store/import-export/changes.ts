import type { NewPet, Pet } from "../pets/pet.ts";
import { changedMembers, type Members } from "../pets/profile/profile.ts";

/** An animal with the profile of its row, if the row has one. */
export type ImportedPet = NewPet & { profile?: Members };

/** An animal of the store that a row may change. */
export interface PresentPet extends Pet {
  profile: Members;
  createdAt: number;
  updatedAt: number | null;
  /** The open order that holds the animal. */
  openOrder: number | null;
  /** True if the animal has orders or photos, which an undo could not restore. */
  isBound: boolean;
}

/** A change of an animal. */
export interface PetUpdate {
  before: PresentPet;
  after: NewPet & { profile: Members };
}

/** A changed value. Undefined: none. */
export interface MemberChange {
  member: string;
  from: unknown;
  to: unknown;
}

const valueIn = (profile: Members, member: string): unknown =>
  member.startsWith("custom.")
    ? (profile["custom"] as Members | undefined)?.[member.slice("custom.".length)]
    : profile[member];

/** JSON has no integers of 64 bits. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** The values that an update changes, each under its name in the API. */
export const changesIn = ({ before, after }: PetUpdate): MemberChange[] => [
  ...(["name", "categoryId", "status"] as const)
    .filter((member) => before[member] !== after[member])
    .map((member) => ({ member, from: plain(before[member]), to: plain(after[member]) })),
  ...changedMembers(before.profile, after.profile).map((member) => ({
    member,
    from: valueIn(before.profile, member),
    to: valueIn(after.profile, member),
  })),
];

/** What an import does with a row. */
export type Decision =
  | { kind: "added"; before?: undefined; after: ImportedPet; changes?: undefined }
  | ({ kind: "updated"; changes: MemberChange[] } & PetUpdate)
  | { kind: "unchanged" }
  | { kind: "repeated" | "rejected"; reason: string };
