import { Database as Client } from "bun:sqlite";

export type { Client };

const BUSY_MS = 5000;
/** Who has it open while the server is down has it open for long. */
const SETTLE_BUSY_MS = 500;

/** Opens a database that exists, as it is: nothing of it is set or brought up to date. */
export const openExisting = (path: string, { readonly = false } = {}): Client => {
  const client = readonly ? new Client(path, { readonly }) : new Client(path, { readwrite: true });
  client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
  client.run("PRAGMA trusted_schema=OFF");
  return client;
};

/** Opens a copy that nobody else knows of: should it break off, it is thrown away as a whole. */
export const openCopy = (path: string): Client => {
  const client = openExisting(path);
  client.run("PRAGMA journal_mode=OFF");
  client.run("PRAGMA synchronous=OFF");
  client.run("PRAGMA foreign_keys=ON");
  client.run("PRAGMA secure_delete=ON");
  return client;
};

/** Copies what is committed now into a file that must not be there, without free pages; writers are not held up. */
export const copyInto = (client: Client, path: string): void => void client.run("VACUUM INTO ?", [path]);

/** About how large a copy is, in bytes. */
export const sizeOf = (client: Client): number =>
  client
    .query<{ bytes: number }, []>(
      "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    .get()?.bytes ?? 0;

/**
 * Copies what the log beside a database holds into it and ends the log, so that the file alone is the database.
 * @throws SQLITE_BUSY if another process has it open
 */
export const settleLog = (path: string): void => {
  const client = openExisting(path);
  try {
    client.run(`PRAGMA busy_timeout=${SETTLE_BUSY_MS}`);
    // With a log this opens it, and says so if the file is broken.
    client.query("SELECT count(*) FROM sqlite_schema").get();
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    client.run("PRAGMA journal_mode=DELETE");
  } finally {
    client.close();
  }
};
