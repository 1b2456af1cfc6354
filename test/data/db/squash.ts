import { Database as Client } from "bun:sqlite";
import { join } from "node:path";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";

/** A database that every migration has brought up to date, one after the other. */
export const migrated = (): Client => {
  const client = new Client(":memory:");
  // A database that has one migration already is not a new one.
  migrate(client, migrations.slice(0, 1));
  migrate(client, migrations);
  return client;
};

/** Tables before what is built on them. What a virtual table creates for itself has no place here, nor has the ledger. */
const SCHEMA = `
  SELECT sql FROM sqlite_schema AS entry
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name <> 'migrations' AND NOT EXISTS (
    SELECT 1 FROM pragma_table_list WHERE pragma_table_list.name = entry.name AND pragma_table_list.type = 'shadow'
  )
  ORDER BY type = 'trigger', type = 'index', rowid`;

const FOLDS = "SELECT format('(%Q,%Q)', letter, folded) AS sql FROM letter_folds ORDER BY folded, letter";

const texts = (client: Client, query: string): string[] =>
  client
    .query<{ sql: string }, []>(query)
    .all()
    .map(({ sql }) => sql);

/** The watermarks of a database without animals. */
const WATERMARKS =
  "SELECT format('INSERT INTO pets_indexed VALUES (%d,%d,%d)', one, counted_to, indexed_to) AS sql FROM pets_indexed";

/** The settings of the indexes of words that differ from FTS5's own. */
const settingsOf = (index: string) =>
  `SELECT format('INSERT INTO ${index} (${index}, rank) VALUES (%Q,%d)', k, v) AS sql FROM ${index}_config WHERE k <> 'version'`;

/** The schema of a database, the rows that migrations insert, and the settings that they make, as one piece of SQL. */
export const squash = (client: Client): string =>
  [
    ...texts(client, SCHEMA),
    `INSERT INTO letter_folds (letter, folded) VALUES\n${texts(client, FOLDS).join(",\n")}`,
    ...texts(client, WATERMARKS),
    ...["pets_words", "orders_words"].flatMap((index) => texts(client, settingsOf(index))),
    "",
  ].join(";\n");

if (import.meta.main) {
  // Then import it in src/data/db/migrations.ts.
  const tag = migrations.at(-1)?.tag ?? "";
  await Bun.write(join(import.meta.dir, `../../drizzle/squashed/${tag}.sql`), squash(migrated()));
}
