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
 * True if an order of this status holds its animal. The statuses are literals because SQLite does not use the index of open
 * orders for a comparison with a parameter.
 */
export const isOpen = (status: AnySQLiteColumn) => sql`${status} in ('placed', 'approved')`;

export const orders = sqliteTable(
  "orders",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** The animal may be deleted after the order is closed. */
    petId: integer("pet_id").notNull(),
    /** Name, email address and note become null when the adopter is erased. */
    adopterName: text("adopter_name"),
    adopterEmail: text("adopter_email"),
    note: text(),
    status: text({ enum: ["placed", "approved", "completed", "cancelled", "returned"] }).notNull(),
    /** Why the animal came back. It becomes null when the adopter is erased. */
    returnReason: text("return_reason"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    // One open order for each animal.
    uniqueIndex("orders_open").on(table.petId).where(isOpen(table.status)),
    index("orders_by_status").on(table.status),
    index("orders_by_pet").on(table.petId),
    index("orders_by_email").on(sql`lower(${table.adopterEmail})`),
    check(
      "orders_status",
      sql`${table.status} in ('placed', 'approved', 'completed', 'cancelled', 'returned')`,
    ),
    check("orders_adopter", sql`(${table.adopterName} is null) = (${table.adopterEmail} is null)`),
  ],
);
