import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The current problems of host names. The audit log has the beginning and the end of each. */
export const notices = sqliteTable(
  "notices",
  {
    kind: text({
      enum: ["domain_failing", "renewal_failed", "orders_failed", "certificate_overdue"],
    }).notNull(),
    /** In A-labels. */
    hostname: text().notNull(),
    since: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.hostname] })],
);
