import { type Placeholder, type SQL, type SQLWrapper, getTableColumns, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./open.ts";

/** The value of each column of a new row; columns that are optional in `insert ... values` are optional here. */
type Values<Table extends SQLiteTable> = {
  [Column in keyof Table["$inferInsert"]]: SQLWrapper | Placeholder;
};

/**
 * `insert into table select values from ...`: inserts one row for each row that `from` finds, so that the condition and the
 * insert are one atomic step. Drizzle's own form takes values by column position, and breaks when the table gains a column;
 * here each value is named. A column without a value gets its default, else null.
 * @param from the rest of the statement: `from ... where ...`
 */
export const insertSelect = <Table extends SQLiteTable>(
  orm: Database["orm"],
  table: Table,
  values: Values<Table>,
  from: SQL,
) => {
  const valuesByName = values as Record<string, SQLWrapper | Placeholder | undefined>;
  const selectedValues = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${valuesByName[name] ?? column.default ?? sql`null`}`,
  );
  return orm.insert(table).select(sql`select ${sql.join(selectedValues, sql`, `)} ${from}`);
};
