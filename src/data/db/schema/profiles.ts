import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { revision } from "../columns.ts";
import { petReference } from "./pets.ts";

/** What a shelter knows of an animal beyond the columns of `pets`. An animal without a row has an empty profile. */
export const petProfiles = sqliteTable(
  "pet_profiles",
  {
    petId: petReference().primaryKey(),
    /** JSON, as in the API. Only its custom values are by the id of their field: `{"custom":{"3":"Ada"}}`. */
    data: text().notNull(),
    reference: text().generatedAlwaysAs(sql`iif(json_valid("data"), "data" ->> '$.reference', NULL)`, {
      mode: "virtual",
    }),
    revision: revision(),
  },
  (table) => [
    uniqueIndex("pet_profiles_by_reference")
      .on(table.reference)
      .where(sql`${table.reference} is not null`),
  ],
);

/** The fields that a shelter defines for its profiles. */
export const petFields = sqliteTable(
  "pet_fields",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** As a member of the profile: `fosterFamily`. */
    name: text().notNull().unique(),
    label: text().notNull(),
    kind: text({ enum: ["text", "number", "boolean", "date", "choice"] }).notNull(),
    /** The values of a choice, JSON. Null for other kinds. */
    choices: text(),
    isPublic: integer("is_public", { mode: "boolean" }).notNull(),
    /** Forms and lists show fields in this order, and then by id. */
    position: integer().notNull(),
    revision: revision(),
  },
  (table) => [
    check("pet_fields_kind", sql`${table.kind} in ('text', 'number', 'boolean', 'date', 'choice')`),
    check("pet_fields_choices", sql`(${table.choices} is not null) = (${table.kind} = 'choice')`),
  ],
);

/** Photos of animals. Their files are blobs, like those of a deploy. */
export const petPhotos = sqliteTable(
  "pet_photos",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    petId: petReference().notNull(),
    /** From 0: an animal's photos in their order. */
    position: integer().notNull(),
    alt: text().notNull(),
    /** Of the original, in pixels, upright. */
    width: integer().notNull(),
    height: integer().notNull(),
    /** A data URL that shows while the photo loads. */
    placeholder: text().notNull(),
    /** The blob that names the files: a hash. */
    manifest: text().notNull(),
    /** The files by name, JSON: `{"640.webp":{"hash":"...","size":41210}}`. */
    files: text().notNull(),
    createdAt: integer("created_at").notNull(),
    revision: revision(),
  },
  (table) => [index("pet_photos_by_pet").on(table.petId, table.position)],
);
