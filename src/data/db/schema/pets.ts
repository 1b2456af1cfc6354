import { sql } from "drizzle-orm";
import { type AnySQLiteColumn, check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { int64, revision } from "../columns.ts";

/** The column with the animal of a row. Deleting the animal deletes the row. */
export const petReference = () =>
  integer("pet_id").references((): AnySQLiteColumn => pets.id, { onDelete: "cascade" });

export const pets = sqliteTable(
  "pets",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    /** Select it through `exact`: a plain read rounds above 2^53. */
    categoryId: int64("category_id").notNull(),
    status: text({ enum: ["available", "pending", "sold"] }),
    createdAt: integer("created_at").notNull(),
    /** When the animal, its profile or its photos were last changed. Null: not since it was added. */
    updatedAt: integer("updated_at"),
    revision: revision(),
  },
  (table) => [
    // SQLite appends the rowid to every index, so this one serves `status = ? and id > ? order by id`.
    index("pets_by_status").on(table.status),
    index("pets_by_category").on(table.categoryId),
    index("pets_by_category_and_status").on(table.categoryId, table.status),
    check("pets_status", sql`${table.status} in ('available', 'pending', 'sold')`),
  ],
);

/**
 * The changes to animals, in order. Triggers insert the rows in the transaction of each change, in every process.
 * The oldest rows are removed when there are too many.
 */
export const petEvents = sqliteTable(
  "pet_events",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text({ enum: ["added", "changed", "deleted"] }).notNull(),
    petId: integer("pet_id").notNull(),
    /** The animal after the change. Null: deleted, or the event is older than these columns. */
    name: text(),
    categoryId: int64("category_id"),
    status: text("status", { enum: ["available", "pending", "sold"] }),
    /** What of the animal was changed, if not one of these columns. */
    part: text({ enum: ["profile", "photos"] }),
  },
  (table) => [check("pet_events_kind", sql`${table.kind} in ('added', 'changed', 'deleted')`)],
);

/**
 * How far the tables that derive from `pets` have come. Ids only grow, so the animals to add are those above a watermark.
 * Triggers add them when a watermark rises: see `countPets` in `open.ts`, and `pet-index.ts`.
 */
export const petsIndexed = sqliteTable(
  "pets_indexed",
  {
    /** 1: the table has one row. */
    one: integer().primaryKey(),
    /** Animals up to this id are in the events and the counts. No animal has a higher id after a transaction. */
    countedTo: integer("counted_to").notNull(),
    /** Animals up to this id are in `pet_names`, `pet_times` and `pets_words`. */
    indexedTo: integer("indexed_to").notNull(),
  },
  (table) => [check("pets_indexed_one", sql`${table.one} = 1`)],
);

/** Letters and their replacements in `pet_names` and `pets_words`: the rows of `LETTER_FOLDS`. */
export const letterFolds = sqliteTable("letter_folds", {
  letter: text().primaryKey(),
  folded: text().notNull(),
});

/** The names of animals with folded letters, for the order by name: see `petsIndexed`. */
export const petNames = sqliteTable(
  "pet_names",
  {
    id: integer().primaryKey(),
    folded: text().notNull(),
    /** The id again. SQLite finds `(folded, at) > (?, ?)` by the index, but not `(folded, id) > (?, ?)`: `id` is the rowid. */
    at: integer().generatedAlwaysAs(sql`"id" + 0`, { mode: "virtual" }),
  },
  (table) => [index("pet_names_by_name").on(table.folded, table.at)],
);

/** The times of animals, for the orders by time: see `petsIndexed`. */
export const petTimes = sqliteTable(
  "pet_times",
  {
    id: integer().primaryKey(),
    createdAt: integer("created_at").notNull(),
    /** Of an animal that was never changed: when it was added. */
    updatedAt: integer("updated_at").notNull(),
    /** As in `petNames`. */
    at: integer().generatedAlwaysAs(sql`"id" + 0`, { mode: "virtual" }),
  },
  (table) => [
    index("pet_times_by_creation").on(table.createdAt, table.at),
    index("pet_times_by_update").on(table.updatedAt, table.at),
  ],
);

/** The words of an animal that SQL cannot make. Triggers add them to `pets_words`. See `lib/words.ts`. */
export const petSearch = sqliteTable(
  "pet_search",
  {
    petId: petReference().primaryKey(),
    /** Null: not made yet, for a name that was stored before this table existed. */
    ofName: text("of_name"),
    ofProfile: text("of_profile").notNull().default(""),
  },
  (table) => [
    index("pet_search_to_make")
      .on(table.petId)
      .where(sql`${table.ofName} is null`),
  ],
);

const statusCounts = () => ({
  available: integer().notNull(),
  pending: integer().notNull(),
  sold: integer().notNull(),
  none: integer().notNull(),
});

/** The number of animals in each category that has some. Triggers count in the transaction of each change. */
export const categoryCounts = sqliteTable("pet_counts_by_category", {
  categoryId: int64("category_id").primaryKey(),
  ...statusCounts(),
});

/** The number of animals by the UTC day on which they were added. Triggers count. */
export const dayCounts = sqliteTable("pet_counts_by_day", {
  /** Days since 1970. */
  day: integer().primaryKey(),
  ...statusCounts(),
});

/** Categories that have a record. An animal may be in a category without a record. */
export const categories = sqliteTable("categories", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** The name for comparisons: NFKC, in lower case, one space between words. */
  folded: text().notNull().unique(),
});
