import { type Placeholder, type SQL, type SQLWrapper, getTableColumns, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./open.ts";

/** What each column of a new row is; the columns that may be left out in an `insert ... values` may be left out here. */
type Values<Table extends SQLiteTable> = {
  [Column in keyof Table["$inferInsert"]]: SQLWrapper | Placeholder;
};

/**
 * `insert into table select values from ...`: one row for each row that `from` finds, so that the insert happens only if a
 * condition holds in the same atomic step. Drizzle's own form takes values by the position of their columns, and breaks
 * when the table gains a column; here each value is named. A column without a value is its default, else null.
 * @param from what follows the selected values: `from ... where ...`
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
