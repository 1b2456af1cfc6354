import type { Database as Client, Statement as Prepared, SQLQueryBindings } from "bun:sqlite";
import { Column, Placeholder, SQL, type SQLWrapper, getTableColumns, is, sql } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { once } from "../../lib/lazy.ts";

/** A connection on which statements run: a client, or the recorder of a replica's writes. */
export type Connection = Pick<Client, "prepare">;

/** A statement of the program. It belongs to no connection: each prepares it on the first use. */
export interface Query<Row> {
  /** As SQLite gets it: values are `?1`, `?2` and so on, and constants are literals. */
  readonly text: string;
  /** The first row; undefined if there is none. SQLite stops there, so the statement needs no LIMIT. */
  get(connection: Connection, values?: object): Row | undefined;
  /** @throws TypeError unless `values` has every value that the statement names. Null must be given as null. */
  all(connection: Connection, values?: object): Row[];
  /** The statement with its values, for `commit`. */
  with(values?: object): { readonly query: Query<Row>; readonly values: object };
  /** The same statement, whose results are made of its rows. */
  as<Stored, Result>(convert: (row: Stored) => Result): Query<Result>;
}

/** The row of a query that always has one. @throws if it has none: the caller would continue with a wrong value */
export const rowOf = <Row>(query: Prepared<Row, []>): Row => {
  const row = query.get();
  if (row === null) throw new Error(`SQLite returned no row: ${String(query)}`);
  return row;
};

type Decoder = (stored: unknown) => unknown;
type Decoders = [name: string, decode: Decoder][];

const decodersOfList = new WeakMap<SQL, Decoders>();

const decodersIn = (chunk: unknown): Decoders => {
  if (Array.isArray(chunk)) return chunk.flatMap(decodersIn);
  if (!is(chunk, SQL)) return [];
  return [...(decodersOfList.get(chunk) ?? []), ...chunk.queryChunks.flatMap(decodersIn)];
};

/** SQL that is built at the first use of a statement with it. Built when modules load, it would add 8 ms to each start. */
class LazySQL extends SQL {
  constructor(build: () => SQL) {
    super([]);
    const built = once(() => [build()]);
    Object.defineProperty(this, "queryChunks", { get: built });
  }
}

type StoredRow = Record<string, unknown>;

const CASING = new CasingCache();

interface Rendered {
  text: string;
  /** Of the values, by position. */
  names: readonly string[];
  decoders: Decoders;
}

/** Constants of a template are part of the text. So SQLite may use a partial index for them, which it never does for `?1`. */
const render = (template: SQL): Rendered => {
  const names: string[] = [];
  const { sql: text } = template.toQuery({
    casing: CASING,
    inlineParams: true,
    // Without quotes, a name that is in no table is an error. In quotes, SQLite would take it for a string.
    escapeName: (name) => name,
    escapeString: (constant) => `'${constant.replaceAll("'", "''")}'`,
    escapeParam(_, chunk) {
      if (!is(chunk, Placeholder)) throw new TypeError("a statement binds only value(name)");
      if (!names.includes(chunk.name)) names.push(chunk.name);
      return `?${names.indexOf(chunk.name) + 1}`;
    },
  });
  return { text: text.trim().replaceAll(/\s*\n\s*/g, "\n"), names, decoders: decodersIn(template) };
};

/** A statement on a connection. */
interface PreparedStatement extends Rendered {
  onConnection: Prepared<StoredRow, SQLQueryBindings[]>;
}

const bound = ({ names, text }: Rendered, values: object): SQLQueryBindings[] =>
  names.map((name) => {
    const bind = (values as Record<string, SQLQueryBindings | undefined>)[name];
    if (bind === undefined) throw new TypeError(`no value for ${name} in: ${text}`);
    return bind;
  });

const decoded = ({ decoders }: Rendered, row: StoredRow): StoredRow => {
  for (const [name, decode] of decoders)
    if (row[name] !== null && row[name] !== undefined) row[name] = decode(row[name]);
  return row;
};

const all: Query<unknown>[] = [];

/** Every statement of the modules that are loaded, for the test that prepares them. */
export const statements: readonly Query<unknown>[] = all;

/**
 * A statement in SQL over the schema's tables and columns. Define it once, at the top level of a module: nothing is rendered
 * or prepared before its first use. Values are named by `value`, and bound by position, as a cluster records them.
 */
export const statement = <Row>(template: SQL): Query<Row> => {
  const rendered = once(() => render(template));
  const prepared = new WeakMap<Connection, PreparedStatement>();
  const on = (connection: Connection): PreparedStatement => {
    const found = prepared.get(connection);
    if (found) return found;
    const made = {
      ...rendered(),
      onConnection: connection.prepare<StoredRow, SQLQueryBindings[]>(rendered().text),
    };
    prepared.set(connection, made);
    return made;
  };
  const queryOf = <Result>(toResult: (row: StoredRow) => Result): Query<Result> => {
    const query: Query<Result> = {
      get text() {
        return rendered().text;
      },
      get(connection, values = {}) {
        const one = on(connection);
        const row = one.onConnection.get(...bound(one, values));
        return row === null ? undefined : toResult(decoded(one, row));
      },
      all(connection, values = {}) {
        const one = on(connection);
        return one.onConnection.all(...bound(one, values)).map((row) => toResult(decoded(one, row)));
      },
      with: (values = {}) => ({ query, values }),
      // SQLite checks the type of a stored row as little as `Row`: the statement states both.
      as: <Stored, Next>(convert: (row: Stored) => Next) =>
        queryOf((row) => convert(toResult(row) as unknown as Stored)),
    };
    return query;
  };
  const query = queryOf((row) => row as Row);
  all.push(query);
  return query;
};

/** A value of a statement: each use must give it. */
export const value = <Name extends string>(name: Name) => sql.placeholder(name);

/** The values of columns, each under the column's own name: `{ status: value("status"), ... }`. */
export const valuesFor = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Placeholder<Name>>;

type Names<Table extends SQLiteTable> = keyof Table["$inferSelect"] & string;

/**
 * Columns as a list of results, under their names in the schema: `deploys.project_id AS projectId`. The rows have the values
 * that the schema declares: int64 is an exact bigint.
 * @param names without them, all columns of the table
 */
export const columnsOf = <Table extends SQLiteTable>(table: Table, ...names: Names<Table>[]): SQL =>
  new LazySQL(() => {
    const columns: Record<string, Column> = getTableColumns(table);
    const chosen = Object.entries(columns).filter(
      ([name]) => names.length === 0 || names.some((one) => one === name),
    );
    // int64 as text: bun:sqlite reads integers as doubles, which are exact to 2^53 only.
    const list = sql.join(
      chosen.map(
        ([name, column]) =>
          sql`${column.dataType === "custom" ? sql`CAST(${column} AS TEXT)` : column} AS ${sql.identifier(name)}`,
      ),
      sql`, `,
    );
    const decoded = chosen.filter(
      ([, column]) => column.mapFromDriverValue !== Column.prototype.mapFromDriverValue,
    );
    decodersOfList.set(
      list,
      decoded.map(([name, column]) => [name, (stored) => column.mapFromDriverValue(stored)]),
    );
    return list;
  });

/** As `columnsOf`, for all columns but these. */
export const columnsBut = <Table extends SQLiteTable>(table: Table, ...others: Names<Table>[]): SQL =>
  columnsOf(
    table,
    ...(Object.keys(getTableColumns(table)) as Names<Table>[]).filter((name) => !others.includes(name)),
  );

type Source<Value> = Value | SQLWrapper | Placeholder;

/** A new row: columns that are optional in an insert are optional here, and get their default. */
type NewRow<Table extends SQLiteTable> = {
  [Name in keyof Table["$inferInsert"]]: Source<Table["$inferInsert"][Name]>;
};

const columnNamed = (table: SQLiteTable, name: string): Column => {
  const columns: Record<string, Column> = getTableColumns(table);
  const column = columns[name];
  if (!column) throw new TypeError(`no column ${name}`);
  return column;
};

const listed = (parts: SQLWrapper[]): SQL => sql.join(parts, sql`, `);

/** `INSERT INTO table (...)`. Each value is named: values by position would break when a table gains a column. */
const insertInto = <Table extends SQLiteTable>(
  table: Table,
  row: NewRow<Table>,
  values: (list: SQL) => SQL,
): SQL =>
  new LazySQL(() => {
    const names = Object.keys(row).map((name) => sql.identifier(columnNamed(table, name).name));
    const list = listed(Object.values(row).map((source) => sql`${source}`));
    return sql`INSERT INTO ${table} (${listed(names)}) ${values(list)}`;
  });

/**
 * `INSERT INTO table (...) SELECT ...`: one row, or with `FROM` and `WHERE` after it one for each row that they find, so that
 * the condition and the insert are one atomic step.
 */
export const insert = <Table extends SQLiteTable>(table: Table, row: NewRow<Table>): SQL =>
  insertInto(table, row, (list) => sql`SELECT ${list}`);

/** `INSERT INTO table (...) VALUES (...)`: one row in any case, in two thirds of the time. */
export const insertRow = <Table extends SQLiteTable>(table: Table, row: NewRow<Table>): SQL =>
  insertInto(table, row, (list) => sql`VALUES (${list})`);

export type Changes<Table extends SQLiteTable> = Partial<NewRow<Table>>;

/** `SET column = ..., ...`, for ON CONFLICT DO UPDATE. Columns with a built-in update, such as `revision`, get it. */
export const set = <Table extends SQLiteTable>(table: Table, changes: Changes<Table>): SQL =>
  new LazySQL(() => {
    const own = Object.entries<Column>(getTableColumns(table)).flatMap(([name, { onUpdateFn }]) =>
      onUpdateFn ? [[name, onUpdateFn()] as const] : [],
    );
    const assignments = Object.entries({ ...Object.fromEntries(own), ...changes }).map(
      ([name, source]) => sql`${sql.identifier(columnNamed(table, name).name)} = ${source}`,
    );
    return sql`SET ${sql.join(assignments, sql`, `)}`;
  });

/** `UPDATE table SET column = ..., ...`, as `set`. */
export const update = <Table extends SQLiteTable>(table: Table, changes: Changes<Table>): SQL =>
  sql`UPDATE ${table} ${set(table, changes)}`;
