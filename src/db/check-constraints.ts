import type { Database as Client } from "bun:sqlite";

/** drizzle-kit writes each constraint on a line of its own. */
const CHECK = /^\s*CONSTRAINT "(\w+)" CHECK\((.+)\),?$/gm;

interface Constraint {
  name: string;
  expression: string;
}

/** The CHECK constraints in a CREATE TABLE statement. */
export const constraintsIn = (sql: string): Constraint[] =>
  [...sql.matchAll(CHECK)].map(([, name = "", expression = ""]) => ({ name, expression }));

const isBroken = (client: Client, table: string, { expression }: Constraint): boolean =>
  client.query(`SELECT 1 FROM "${table}" WHERE NOT (${expression}) LIMIT 1`).get() !== null;

/**
 * Finds a row that breaks a CHECK constraint. On a read-only connection SQLite does not even parse these constraints
 * (sqlite3AddCheckConstraint in https://sqlite.org/src/file/src/build.c).
 * @param client a database with the program's own schema, whose SQL is safe to run
 * @returns the constraint's name
 */
export const brokenConstraint = (client: Client): string | undefined =>
  client
    .query<{ table: string; sql: string }, []>(
      "SELECT name AS 'table', sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK(%'",
    )
    .all()
    .map(({ table, sql }) => constraintsIn(sql).find((one) => isBroken(client, table, one)))
    .find((one) => one !== undefined)?.name;
