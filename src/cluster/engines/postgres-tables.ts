import type { SQL } from "bun";

/** One of the tables: they are all made in one transaction. */
const LAST = "adoption_store_file";
/** Any number that nothing else takes. */
const LOCK = 4_702_613_985;

/**
 * `name` is that of the log in DATABASE_URL; `log` identifies what it holds, and changes with a restored backup. Turns may be
 * lost with the server, so they are not in its WAL. Records are compressed already.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS adoption_store_log (
    name text PRIMARY KEY, log text NOT NULL, position bigint NOT NULL, id text NOT NULL, trimmed bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE IF NOT EXISTS adoption_store_record (
    name text, log text, position bigint, id text NOT NULL, record bytea NOT NULL, PRIMARY KEY (name, log, position)
  );
  ALTER TABLE adoption_store_record ALTER COLUMN record SET STORAGE EXTERNAL;
  CREATE TABLE IF NOT EXISTS adoption_store_snapshot (
    name text PRIMARY KEY, log text NOT NULL, position bigint NOT NULL, id text NOT NULL, checksum text NOT NULL,
    reference text NOT NULL
  );
  CREATE TABLE IF NOT EXISTS adoption_store_claim (
    name text, claim text, holder text NOT NULL, value text NOT NULL, expires timestamptz NOT NULL,
    PRIMARY KEY (name, claim)
  );
  CREATE UNLOGGED TABLE IF NOT EXISTS adoption_store_turn (
    name text, node text, ticket bigint GENERATED ALWAYS AS IDENTITY, expires timestamptz NOT NULL,
    PRIMARY KEY (name, node)
  ) WITH (fillfactor = 50);
  CREATE TABLE IF NOT EXISTS adoption_store_file (
    name text, file text, content bytea NOT NULL, PRIMARY KEY (name, file)
  );
  ALTER TABLE adoption_store_file ALTER COLUMN content SET STORAGE EXTERNAL;
`;

/** The right to create tables is needed only while there are none. */
export const createTables = async (sql: SQL): Promise<void> => {
  const [found] = (await sql`SELECT to_regclass(${LAST}) IS NOT NULL AS exists`) as { exists: boolean }[];
  if (found?.exists) return;
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${LOCK})`;
    await tx.unsafe(TABLES).simple();
  });
};
