import { sql } from "drizzle-orm";
import { record } from "../../../data/db/audit.ts";
import { commitDecided, type Statement } from "../../../data/db/commit.ts";
import type { Database } from "../../../data/db/open.ts";
import { pets } from "../../../data/db/schema/pets.ts";
import { petProfiles } from "../../../data/db/schema/profiles.ts";
import { columnsOf, insertRow, set, statement, value, valuesFor } from "../../../data/db/statement.ts";
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

const ROW = sql`${columnsOf(pets, "name", "createdAt")},
    coalesce(${pets.updatedAt}, ${pets.createdAt}) AS updatedAt, ${columnsOf(petProfiles, "data")}`;

const FROM = sql`FROM ${pets} LEFT JOIN ${petProfiles} ON ${petProfiles.petId} = ${pets.id}`;

const FIND = statement<Row>(sql`
  SELECT ${ROW}
  ${FROM}
  WHERE ${HAS_ID}`);

const FIND_MANY = statement<Row & { petId: number }>(sql`
  SELECT ${pets.id} AS petId, ${ROW}
  ${FROM}
  WHERE ${pets.id} IN (SELECT value FROM json_each(${value("petIds")}))`);

const HOLDER = statement<{ petId: number }>(sql`
  SELECT ${columnsOf(petProfiles, "petId")} FROM ${petProfiles}
  WHERE ${petProfiles.reference} = ${value("reference")} AND ${petProfiles.petId} <> ${value("petId")}`);

const UPSERT = statement(sql`
  ${insertRow(petProfiles, valuesFor("petId", "data"))}
  ON CONFLICT (pet_id) DO UPDATE ${set(petProfiles, { data: value("data") })}`);

/** The statements that store a profile and its words, in the transaction of its write. */
export const storingProfile = (petId: number, members: Members, fields: readonly Field[]): Statement[] => [
  UPSERT.with({ petId, data: toStored(members, fields) }),
  storingProfileWords(petId, members),
];

const read = ({ createdAt, updatedAt, data }: Row, fields: readonly Field[]): StoredProfile => ({
  createdAt,
  updatedAt,
  members: fromStored(data ?? "{}", fields),
  fields,
});

export const profileRepository = ({ client, commit }: Database) => ({
  find(petId: number): StoredProfile | undefined {
    const row = FIND.get(client, { petId });
    return row && read(row, fieldsOf(client));
  },
  /** The profiles of the animals that exist, by their ids. */
  findMany(petIds: readonly number[]): Map<number, StoredProfile> {
    const fields = fieldsOf(client);
    const rows = FIND_MANY.all(client, { petIds: JSON.stringify(petIds) });
    return new Map(rows.map((row) => [row.petId, read(row, fields)]));
  },
  /**
   * Replaces the profile by what `next` makes of it, in one atomic step. Nothing is written if `next` throws, or if it makes
   * the same profile.
   */
  write: (petId: number, next: (present: StoredProfile) => Members, act: Act): Promise<WriteResult> =>
    commitDecided<WriteResult>(commit, (connection) => {
      const row = FIND.get(connection, { petId });
      if (!row) return [{ refused: "not_found" }];
      const { fields, ...before } = read(row, fieldsOf(connection));
      const members = next({ fields, ...before });
      const changed = changedMembers(before.members ?? {}, members);
      if (before.members && changed.length === 0) return [{ ...before, members: before.members }];
      const { reference = null } = members as { reference?: string };
      const holder = HOLDER.get(connection, { petId, reference });
      if (holder) return [{ refused: "reference_taken", ...holder }];
      const { now } = act;
      return [
        { ...before, updatedAt: now, members },
        ...storingProfile(petId, members, fields),
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
