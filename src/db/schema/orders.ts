import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/**
 * Whether an order of this status holds its animal. Written out: the index of open orders serves no comparison with a
 * parameter.
 */
export const isOpen = (status: AnySQLiteColumn) => sql`${status} in ('placed', 'approved')`;

/** Adoptions. */
export const orders = sqliteTable(
  "orders",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** It may be gone once the order is no longer open. */
    petId: integer("pet_id").notNull(),
    /** Both null once the adopter was forgotten, and the note with them. */
    adopterName: text("adopter_name"),
    adopterEmail: text("adopter_email"),
    note: text(),
    status: text({ enum: ["placed", "approved", "completed", "cancelled"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    // Of all who want an animal, one gets it.
    uniqueIndex("orders_open").on(table.petId).where(isOpen(table.status)),
    index("orders_by_status").on(table.status),
    index("orders_by_pet").on(table.petId),
    index("orders_by_email").on(sql`lower(${table.adopterEmail})`),
    check("orders_status", sql`${table.status} in ('placed', 'approved', 'completed', 'cancelled')`),
    check("orders_adopter", sql`(${table.adopterName} is null) = (${table.adopterEmail} is null)`),
  ],
);
