import { Database as Client } from "bun:sqlite";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migrations.ts";

/** The table of a backup that holds the files of deployed sites. */
export const BACKUP_FILES = "backup_files";
export const CREATE_BACKUP_FILES = `CREATE TABLE ${BACKUP_FILES} (hash TEXT NOT NULL, part INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (hash, part)) STRICT`;

/** The table of a replica with its applied position in the cluster's log. An embedded database does not have it. */
export const REPLICA = "replica";
export const CREATE_REPLICA = `CREATE TABLE ${REPLICA} (one INTEGER PRIMARY KEY CHECK (one = 1), log TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, checksum TEXT NOT NULL) STRICT`;

/** The table of a replica with what its tables hold: see data/cluster/contents.ts. */
export const CONTENTS = "contents";
const CONTENTS_COLUMNS =
  "(one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, tables TEXT NOT NULL) STRICT";
export const CREATE_CONTENTS = `CREATE TABLE IF NOT EXISTS ${CONTENTS} ${CONTENTS_COLUMNS}`;

/** The table of a backup with its position in a cluster's log. */
export const BACKUP_ORIGIN = "backup_origin";
export const CREATE_BACKUP_ORIGIN = `CREATE TABLE ${BACKUP_ORIGIN} (log TEXT NOT NULL, position INTEGER NOT NULL) STRICT`;

/** The table of a backup with its digest, which is written into the file once it is complete. */
export const BACKUP_DIGEST = "backup_digest";
export const CREATE_BACKUP_DIGEST = `CREATE TABLE ${BACKUP_DIGEST} (sha256 TEXT NOT NULL) STRICT`;

const asTable = (name: string): string => `table ${JSON.stringify(name)}`;

/** Objects that no migration creates, and only some databases have. */
const OPTIONAL: Objects = new Map([
  [asTable(BACKUP_FILES), CREATE_BACKUP_FILES],
  [asTable(BACKUP_ORIGIN), CREATE_BACKUP_ORIGIN],
  [asTable(BACKUP_DIGEST), CREATE_BACKUP_DIGEST],
  [asTable(REPLICA), CREATE_REPLICA],
  [asTable(CONTENTS), `CREATE TABLE ${CONTENTS} ${CONTENTS_COLUMNS}`],
]);

export const hasTable = (client: Client, name: string): boolean =>
  client.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== null;

/** The SQL of each object of a schema, by its type and name: `table "pets"`. */
type Objects = ReadonlyMap<string, string>;

/** Leaves out the objects that SQLite creates itself: statistics, and shadow tables, whose SQL depends on its version. */
const OBJECTS = `
  SELECT type, name, sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND NOT (type = 'table' AND (
    name GLOB 'sqlite_stat[1-4]' OR name IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')))`;

const objectsOf = (client: Client): Objects =>
  new Map(
    client
      .query<{ type: string; name: string; sql: string }, []>(OBJECTS)
      .all()
      .map(({ type, name, sql }) => [`${type} ${JSON.stringify(name)}`, sql]),
  );

const createObjects = (applied: readonly Migration[]): Objects => {
  using client = new Client(":memory:");
  migrate(client, applied);
  return objectsOf(client);
};

/** The objects by the last migration. Creating them takes half the time of a check, and a restore checks twice. */
const created = new Map<string | undefined, Objects>();

const objectsAfter = (applied: readonly Migration[]): Objects => {
  const last = applied.at(-1)?.tag;
  const objects = created.get(last) ?? createObjects(applied);
  created.set(last, objects);
  return objects;
};

/**
 * Compares the schema with the one that the applied migrations create. A foreign trigger would run with every write.
 * @returns the difference; undefined without one
 */
export const foreignObject = (client: Client, applied: readonly Migration[]): string | undefined => {
  const found = objectsOf(client);
  const expected = objectsAfter(applied);
  for (const [name, sql] of found) {
    const own = expected.get(name) ?? OPTIONAL.get(name);
    if (own === undefined) return `its ${name} is not part of adoption-store`;
    if (own !== sql) return `its ${name} differs from that of adoption-store`;
  }
  const missing = [...expected.keys()].find((name) => !found.has(name));
  return missing && `its ${missing} is missing`;
};
