import { sql } from "drizzle-orm";
import type { Statement } from "../../data/db/commit.ts";
import { importChanges } from "../../data/db/schema/imports.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { petProfiles } from "../../data/db/schema/profiles.ts";
import { type Connection, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import { partChanged } from "../pets/events/part-queries.ts";
import type { Field } from "../pets/fields/field.ts";
import { changedMembers, type Members, toStored } from "../pets/profile/profile.ts";
import { storingProfile } from "../pets/profile/repository.ts";
import { storingNameWords, storingNewestWords } from "../pets/word-queries.ts";
import type { ImportedPet, PetUpdate, PresentPet } from "./changes.ts";
import { findPresent } from "./present-queries.ts";

/** The changes of a batch of rows. */
export interface BatchChanges {
  added: readonly ImportedPet[];
  updated: readonly PetUpdate[];
  deleted: readonly PresentPet[];
}

/** A custom field was deleted, or an animal was changed, after rows that depend on it were validated. */
export class StoreChanged extends Error {
  override name = "StoreChanged";
  constructor(what: string) {
    super(`${what} in the meantime: run the same command again to continue`);
  }
}

/** An animal before an import, as it is stored for an undo. */
export interface StoredBefore extends Pick<PresentPet, "name" | "status" | "createdAt" | "updatedAt"> {
  /** Text, so that it keeps all digits. */
  categoryId: string;
  /** As `toStored` makes it. */
  profile: string;
}

/** `profiles`: the places of animals among the newest, each with its profile. */
const ADD_PROFILES = statement(sql`
  ${insert(petProfiles, {
    petId: sql`(SELECT max(${pets.id}) FROM ${pets}) - ${value("count")} + 1 + (value ->> 0)`,
    data: sql`value ->> 1`,
  })}
  FROM json_each(${value("profiles")})`);

const UPDATE_PET = statement(sql`
  ${update(pets, { ...valuesFor("name", "categoryId", "status"), updatedAt: value("now") })}
  WHERE ${pets.id} = ${value("id")}`);

const DELETE_PETS = statement(sql`
  DELETE FROM ${pets} WHERE ${pets.id} IN (SELECT value FROM json_each(${value("ids")}))`);

const REMEMBER_ADDED = statement(sql`
  ${insert(importChanges, {
    importId: value("importId"),
    kind: sql`'added'`,
    petId: sql`max(${pets.id}) - ${value("count")} + 1`,
    toId: sql`max(${pets.id})`,
    at: value("now"),
  })}
  FROM ${pets}`);

const REMEMBER = statement(sql`
  ${insert(importChanges, {
    ...valuesFor("importId", "kind"),
    petId: pets.id,
    toId: pets.id,
    before: sql`json_object('name', ${pets.name}, 'categoryId', CAST(${pets.categoryId} AS TEXT), 'status', ${pets.status},
      'createdAt', ${pets.createdAt}, 'updatedAt', ${pets.updatedAt}, 'profile', coalesce(${petProfiles.data}, '{}'))`,
    at: value("now"),
  })}
  FROM ${pets} LEFT JOIN ${petProfiles} ON ${petProfiles.petId} = ${pets.id}
  WHERE ${pets.id} IN (SELECT value FROM json_each(${value("ids")}))`);

/** The statements of a change of an animal and its profile. */
export const changing = (
  { before, after }: PetUpdate,
  fields: readonly Field[],
  now: number,
): Statement[] => {
  const { id, name, categoryId, status } = before;
  const hasProfileChange = changedMembers(before.profile, after.profile).length > 0;
  const hasPetChange = name !== after.name || categoryId !== after.categoryId || status !== after.status;
  return [
    ...(hasPetChange ? [UPDATE_PET.with({ ...after, status: after.status ?? null, id, now })] : []),
    ...(name === after.name ? [] : storingNameWords(id, after.name, name)),
    ...(hasProfileChange
      ? [...storingProfile(id, after.profile, fields), ...partChanged(id, "profile", now)]
      : []),
  ];
};

const customNames = (profile: Members): string[] =>
  Object.keys((profile["custom"] as object | undefined) ?? {});

/** @throws StoreChanged if the store is not as it was when the rows were validated */
export const assertUnchanged = (
  connection: Connection,
  { added, updated, deleted }: BatchChanges,
  fields: readonly Field[],
): void => {
  const profiles = [
    ...added.map(({ profile = {} }) => profile),
    ...updated.map(({ after: { profile } }) => profile),
  ];
  const names = new Set(fields.map(({ name }) => name));
  const lost = profiles.flatMap(customNames).find((name) => !names.has(name));
  if (lost !== undefined) throw new StoreChanged(`the custom field ${lost} was deleted`);
  const references = added.flatMap(({ profile }) => (profile?.["reference"] as string | undefined) ?? []);
  const [taken] = findPresent(connection, "reference", references);
  if (taken) throw new StoreChanged(`animal ${taken.id} got a reference of the file`);
  const befores = [...updated.map(({ before }) => before), ...deleted];
  const ids = befores.map(({ id }) => String(id));
  const present = new Map(findPresent(connection, "id", ids).map((pet) => [pet.id, pet]));
  const changed = befores.find((before) => !Bun.deepEquals(present.get(before.id), before));
  if (changed) throw new StoreChanged(`animal ${changed.id} was changed`);
};

/** The statements that follow the one that adds animals, in its transaction. They also store the data of an undo. */
export const storingChanges = (
  importId: number,
  { added, updated, deleted }: BatchChanges,
  fields: readonly Field[],
  now: number,
): Statement[] => {
  const count = added.length;
  const profiles = added.flatMap(({ profile }, at) => (profile ? [[at, toStored(profile, fields)]] : []));
  const remembering = (kind: "changed" | "deleted", animals: readonly PresentPet[]) =>
    REMEMBER.with({ importId, kind, ids: JSON.stringify(animals.map(({ id }) => id)), now });
  return [
    ADD_PROFILES.with({ count, profiles: JSON.stringify(profiles) }),
    ...storingNewestWords(added),
    ...(count > 0 ? [REMEMBER_ADDED.with({ importId, count, now })] : []),
    remembering(
      "changed",
      updated.map(({ before }) => before),
    ),
    remembering("deleted", deleted),
    ...updated.flatMap((one) => changing(one, fields, now)),
    DELETE_PETS.with({ ids: JSON.stringify(deleted.map(({ id }) => id)) }),
  ];
};
