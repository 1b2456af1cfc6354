import type { Client } from "../db/snapshot.ts";
import { type Cell, MAX_ID, type Value } from "./record.ts";

interface Column {
  name: string;
  type: string;
  isOptional: boolean;
  /** Rows that are older than the column have this value. */
  fallback: Value;
  /** The values that its constraint allows. */
  allowed: ReadonlySet<Value> | undefined;
}

/** How the rows of a table look in its file. */
export interface Shape {
  name: string;
  /** The stored columns, in order. */
  columns: readonly Column[];
  /** Where its rowid is in `columns`, as null; -1 if no column is the rowid. */
  rowid: number;
  /** True for a table that SQLite stores like an index. */
  isIndex: boolean;
}

const column = (
  name: string,
  type: string,
  isOptional = false,
  allowed?: readonly Value[],
  fallback: Value = null,
): Column => ({ name, type, isOptional, fallback, allowed: allowed && new Set(allowed) });

/** The table of the schema, which every database has. */
export const SCHEMA: Shape = {
  name: "sqlite_schema",
  columns: [
    column("type", "text", false, ["table", "index", "trigger", "view"]),
    column("name", "text"),
    column("tbl_name", "text"),
    column("rootpage", "integer", true),
    column("sql", "text", true),
  ],
  rowid: -1,
  isIndex: false,
};

/** The table of the applied migrations, which is the same in every version. */
export const LEDGER: Shape = {
  name: "migrations",
  columns: [
    column("id", "integer", true),
    column("tag", "text"),
    column("hash", "text"),
    column("applied_at", "integer"),
  ],
  rowid: 0,
  isIndex: false,
};

/** The constraints that only list values: `"pets"."status" in ('available', 'sold')`, `"store_identity"."one" = 1`. */
const allowedIn = (sql: string, name: string): Value[] | undefined => {
  const [, list, only] =
    new RegExp(`CHECK\\("\\w+"\\."${name}" (?:in \\(([^)]*)\\)|= (\\d+))\\)`).exec(sql) ?? [];
  if (only !== undefined) return [Number(only)];
  return list?.split(", ").map((quoted) => quoted.slice(1, -1));
};

interface TableRow {
  name: string;
  isIndex: number;
  sql: string;
}

interface ColumnRow {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
  hidden: number;
}

const shapeOf = (client: Client, { name, isIndex, sql }: TableRow): Shape => {
  const stored = client
    .query<ColumnRow, [string]>("SELECT * FROM pragma_table_xinfo(?)")
    .all(name)
    .filter(({ hidden }) => hidden === 0);
  const keys = stored.filter(({ pk }) => pk > 0);
  const isRowid = ({ pk, type }: ColumnRow) =>
    pk > 0 && keys.length === 1 && type.toLowerCase() === "integer";
  return {
    name,
    rowid: isIndex ? -1 : stored.findIndex(isRowid),
    isIndex: isIndex === 1,
    columns: stored.map((one) =>
      column(
        one.name,
        one.type.toLowerCase(),
        one.notnull === 0,
        allowedIn(sql, one.name),
        one.dflt_value && (one.dflt_value === "false" ? 0 : Number(one.dflt_value)),
      ),
    ),
  };
};

/** The shapes of all tables of a database. */
export const shapesIn = (client: Client): Shape[] =>
  client
    .query<TableRow, []>(
      `SELECT name, wr AS isIndex, coalesce((SELECT sql FROM sqlite_schema s WHERE s.name = l.name), '') AS sql
      FROM pragma_table_list l
      WHERE schema = 'main' AND type IN ('table', 'shadow') AND name <> 'sqlite_schema'`,
    )
    .all()
    .map((row) => shapeOf(client, row));

const hasType = (value: Value, type: string): boolean => {
  if (type === "integer") return typeof value === "number" || typeof value === "bigint";
  if (type === "text") return typeof value === "string";
  return type !== "blob" || value instanceof Uint8Array;
};

const fits = (value: Value | undefined, { type, isOptional, fallback, allowed }: Column): boolean => {
  // The row is older than the column.
  if (value === undefined) return isOptional || fallback !== null;
  if (value === null) return isOptional;
  return hasType(value, type) && (allowed?.has(value) ?? true);
};

/** True if a row may be of the table. */
export const isOf =
  ({ columns, rowid }: Shape) =>
  ({ id, values }: Cell): boolean =>
    id <= MAX_ID &&
    values.length <= columns.length &&
    columns.every((one, at) =>
      at === rowid ? values[at] === null && (one.allowed?.has(id) ?? true) : fits(values[at], one),
    );

/** The values of all stored columns. */
export const valuesOf = ({ columns, rowid }: Shape, { id, values }: Cell): Value[] =>
  columns.map(({ fallback }, at) => (at === rowid ? id : values[at] === undefined ? fallback : values[at]));
