import { sql } from "drizzle-orm";
import { record } from "../../../data/db/audit.ts";
import { commitDecided } from "../../../data/db/commit.ts";
import type { Database } from "../../../data/db/open.ts";
import { pets } from "../../../data/db/schema/pets.ts";
import { petProfiles } from "../../../data/db/schema/profiles.ts";
import {
  columnsOf,
  type Connection,
  insertRow,
  set,
  statement,
  value,
  valuesFor,
} from "../../../data/db/statement.ts";
import type { Act } from "../../../lib/actor.ts";
import { partChanged } from "../events/part-queries.ts";
import { storingProfileWords } from "../word-queries.ts";
import type { Field } from "../fields/field.ts";
import { fieldsOf } from "../fields/repository.ts";
import { changedMembers, fromStored, type Members, type Profile, toStored } from "./profile.ts";

/** A profile as it was read, with the fields that its custom values belong to. */
export interface StoredProfile extends Omit<Profile, "members"> {
  /** Undefined if the stored text is damaged. */
  members: Members | undefined;
  fields: readonly Field[];
}

/** The profile after a write, or why nothing was written. */
export type WriteResult = Profile | { refused: "not_found" } | { refused: "reference_taken"; petId: number };

interface Row {
  name: string;
  createdAt: number;
  updatedAt: number;
  data: string | null;
}

const HAS_ID = sql`${pets.id} = ${value("petId")}`;

const FIND = statement<Row>(sql`
  SELECT ${columnsOf(pets, "name", "createdAt")},
    coalesce(${pets.updatedAt}, ${pets.createdAt}) AS updatedAt, ${columnsOf(petProfiles, "data")}
  FROM ${pets}
  LEFT JOIN ${petProfiles} ON ${petProfiles.petId} = ${pets.id}
  WHERE ${HAS_ID}`);

const HOLDER = statement<{ petId: number }>(sql`
  SELECT ${columnsOf(petProfiles, "petId")} FROM ${petProfiles}
  WHERE ${petProfiles.reference} = ${value("reference")} AND ${petProfiles.petId} <> ${value("petId")}`);

const UPSERT = statement(sql`
  ${insertRow(petProfiles, valuesFor("petId", "data"))}
  ON CONFLICT (pet_id) DO UPDATE ${set(petProfiles, { data: value("data") })}`);

const read = (connection: Connection, row: Row): StoredProfile => {
  const { createdAt, updatedAt, data } = row;
  const fields = fieldsOf(connection);
  return { createdAt, updatedAt, members: fromStored(data ?? "{}", fields), fields };
};

export const profileRepository = ({ client, commit }: Database) => ({
  find(petId: number): StoredProfile | undefined {
    const row = FIND.get(client, { petId });
    return row && read(client, row);
  },
  /**
   * Replaces the profile by what `next` makes of it, in one atomic step. Nothing is written if `next` throws, or if it makes
   * the same profile.
   */
  write: (petId: number, next: (present: StoredProfile) => Members, act: Act): Promise<WriteResult> =>
    commitDecided<WriteResult>(commit, (connection) => {
      const row = FIND.get(connection, { petId });
      if (!row) return [{ refused: "not_found" }];
      const { fields, ...before } = read(connection, row);
      const members = next({ fields, ...before });
      const changed = changedMembers(before.members ?? {}, members);
      if (before.members && changed.length === 0) return [{ ...before, members: before.members }];
      const { reference = null } = members as { reference?: string };
      const holder = HOLDER.get(connection, { petId, reference });
      if (holder) return [{ refused: "reference_taken", ...holder }];
      const { now } = act;
      return [
        { ...before, updatedAt: now, members },
        UPSERT.with({ petId, data: toStored(members, fields) }),
        storingProfileWords(petId, members),
        ...partChanged(petId, "profile", now),
        ...record(act, {
          action: "pet.profile_changed",
          id: petId,
          label: row.name,
          changes: [["members", null, changed.join(", ")]],
        }),
      ];
    }),
});
