import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../data/db/open.ts";
import { importChanges } from "../../data/db/schema/imports.ts";
import { isOpen, orders } from "../../data/db/schema/orders.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { petPhotos, petProfiles } from "../../data/db/schema/profiles.ts";
import { columnsOf, type Connection, statement, value } from "../../data/db/statement.ts";
import { fieldsOf } from "../pets/fields/repository.ts";
import { fromStored } from "../pets/profile/profile.ts";
import type { PresentPet } from "./changes.ts";
import type { KeyField } from "./columns.ts";

type Row = Pick<
  typeof pets.$inferSelect,
  "id" | "name" | "categoryId" | "status" | "createdAt" | "updatedAt"
> & {
  data: string | null;
  openOrder: number | null;
  isBound: number;
};

const OF_PET = sql`FROM ${orders} WHERE ${orders.petId} = ${pets.id}`;

const selectPets = (from: SQL) =>
  statement<Row>(sql`
    SELECT ${columnsOf(pets, "id", "name", "categoryId", "status", "createdAt", "updatedAt")},
      ${columnsOf(petProfiles, "data")},
      (SELECT ${orders.id} ${OF_PET} AND ${isOpen(orders.status)}) AS openOrder,
      EXISTS (SELECT 1 ${OF_PET})
        OR EXISTS (SELECT 1 FROM ${petPhotos} WHERE ${petPhotos.petId} = ${pets.id}) AS isBound
    ${from}`);

const WITH_PROFILE = sql`LEFT JOIN ${petProfiles} ON ${petProfiles.petId} = ${pets.id}`;

const BY_KEY: Readonly<Record<KeyField, ReturnType<typeof selectPets>>> = {
  id: selectPets(sql`
    FROM json_each(${value("keys")})
    JOIN ${pets} ON ${pets.id} = value
    ${WITH_PROFILE}`),
  reference: selectPets(sql`
    FROM json_each(${value("keys")})
    JOIN ${petProfiles} ON ${petProfiles.reference} = value
    JOIN ${pets} ON ${pets.id} = ${petProfiles.petId}`),
};

const PAGE_PETS = 100;

/** The animals that a file may lack: those that have its key, and that are still at the shelter. */
const PAGE = selectPets(sql`
  FROM ${pets}
  ${WITH_PROFILE}
  WHERE ${pets.id} > ${value("after")} AND ${pets.id} <= ${value("newest")} AND ${pets.status} IS NOT 'sold'
    AND (${value("key")} = 'id' OR ${petProfiles.reference} IS NOT NULL)
  ORDER BY ${pets.id}
  LIMIT ${PAGE_PETS}`);

/** The same condition, for an animal that was read again. */
export const mayBeAbsent = ({ status, profile }: PresentPet, key: KeyField): boolean =>
  status !== "sold" && (key === "id" || profile["reference"] !== undefined);

const NEWEST = statement<{ id: number | null }>(sql`SELECT max(${pets.id}) AS id FROM ${pets}`);

const HAS_REFERENCES = statement<{ one: number }>(sql`
  SELECT 1 AS one FROM ${petProfiles} WHERE ${petProfiles.reference} IS NOT NULL`);

const FIND_CHANGE = statement<{ one: number }>(sql`
  SELECT 1 AS one FROM ${importChanges}
  WHERE ${importChanges.importId} = ${value("importId")} AND ${value("petId")} BETWEEN ${importChanges.petId} AND ${importChanges.toId}`);

/** @throws if a stored profile is damaged */
const petsOf = (connection: Connection, rows: readonly Row[]): PresentPet[] => {
  const fields = fieldsOf(connection);
  return rows.map(({ data, status, isBound, ...row }) => {
    const profile = fromStored(data ?? "{}", fields);
    if (!profile)
      throw new Error(
        `The stored profile of animal ${row.id} is damaged: replace it with PUT /v1/pets/${row.id}/profile.`,
      );
    return { ...row, ...(status && { status }), profile, isBound: isBound !== 0 };
  });
};

/** Finds animals by their ids or references. */
export const findPresent = (connection: Connection, key: KeyField, keys: readonly string[]): PresentPet[] =>
  keys.length === 0 ? [] : petsOf(connection, BY_KEY[key].all(connection, { keys: JSON.stringify(keys) }));

/** True if an import has added or changed the animal. */
export const isOfImport = (connection: Connection, importId: number, petId: number): boolean =>
  FIND_CHANGE.get(connection, { importId, petId }) !== undefined;

/** The animals of a store, as an import looks them up. */
export const presentPets = ({ client }: Pick<Database, "client">) => ({
  find: (key: KeyField, keys: readonly string[]) => findPresent(client, key, keys),
  hasReferences: (): boolean => HAS_REFERENCES.get(client) !== undefined,
  isOf: (importId: number, petId: number) => isOfImport(client, importId, petId),
  newestId: (): number => NEWEST.get(client)?.id ?? 0,
  /** The animals up to `newest` that have the key and are not adopted, in pages. */
  *pages(key: KeyField, newest: number): Generator<PresentPet[]> {
    for (let after = 0; ;) {
      const rows = PAGE.all(client, { key, after, newest });
      if (rows.length > 0) yield petsOf(client, rows);
      if (rows.length < PAGE_PETS) return;
      after = rows.at(-1)?.id ?? after;
    }
  },
});

export type PresentPets = ReturnType<typeof presentPets>;
