import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Where a server keeps the database, below the directory that it runs in. */
export const databaseIn = (place: string): string => join(place, "data", "adoption-store.db");

const tableNames = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);

/** SHA-256 of all rows of a table, in the order of their values. */
const hashOf = (database: Database, table: string): string => {
  const columns = database
    .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => `quote("${name}")`);
  const hash = new Bun.CryptoHasher("sha256");
  const rows = database.query<Record<string, string>, []>(
    `SELECT ${columns.join(" || ',' || ")} AS row FROM "${table}" ORDER BY 1`,
  );
  for (const { row } of rows.iterate()) hash.update(`${row}\n`);
  return hash.digest("hex");
};

const INDEXED_TO = "UPDATE pets_indexed SET indexed_to =";

/** Indexes the animals that are not indexed yet, as a search does. */
const indexAll = (database: Database): void =>
  void database.run(`${INDEXED_TO} coalesce((SELECT max(id) FROM pets), 0)`);

/** What a search of animals sees: SHA-256 of their names, and of the words with the animals that have them. */
const searchable = (database: Database): string[] => {
  database.run("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, pets_words, instance)");
  const hashes = ["pet_names", "pet_times", "words"].map((table) => hashOf(database, table));
  database.run("DROP TABLE temp.words");
  return hashes;
};

export const INDEX_DIFFERS = "the index of animals is not what making it again gives";

/** Makes the index of animals again, because each node builds it separately, in different slices. @throws if it was not right */
const rebuildDerived = (database: Database): void => {
  indexAll(database);
  const before = searchable(database);
  database.run("DELETE FROM pet_names");
  database.run("DELETE FROM pet_times");
  database.run("INSERT INTO pets_words (pets_words) VALUES ('delete-all')");
  database.run(`${INDEXED_TO} 0`);
  indexAll(database);
  if (!Bun.deepEquals(before, searchable(database))) throw new Error(INDEX_DIFFERS);
};

const checkIndexes = (database: Database): void => {
  for (const table of ["pets_words", "orders_words"])
    database.run(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
  const found = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  if (found[0]?.integrity_check !== "ok") throw new Error(JSON.stringify(found));
};

/** A copy in memory of a database that a server may be writing, as it is between two transactions. */
export const copyOf = (file: string): Database => {
  using source = new Database(file, { readonly: true });
  source.run("PRAGMA busy_timeout = 5000");
  const bytes = source.serialize();
  // There is no write-ahead log in memory: https://sqlite.org/fileformat2.html#file_format_version_numbers.
  bytes.fill(1, 18, 20);
  return Database.deserialize(bytes);
};

/**
 * SHA-256 of each table of a copy, whose index of animals is made again, by its name in lower case: SQLite does not distinguish cases.
 * @throws if an index is not right
 */
export const hashTables = (copy: Database): Record<string, string> => {
  checkIndexes(copy);
  rebuildDerived(copy);
  return Object.fromEntries(tableNames(copy).map((table) => [table.toLowerCase(), hashOf(copy, table)]));
};

/** How many rows all tables have together. */
export const countRows = (database: Database): number =>
  tableNames(database).reduce(
    (sum, table) =>
      sum + (database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${table}"`).get()?.n ?? 0),
    0,
  );
