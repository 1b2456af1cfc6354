import type { Database as Client } from "bun:sqlite";
import { replicaMark, unmarkReplica } from "./replica-mark.ts";
import {
  BACKUP_DIGEST,
  BACKUP_FILES,
  BACKUP_ORIGIN,
  CREATE_BACKUP_DIGEST,
  CREATE_BACKUP_FILES,
  CREATE_BACKUP_ORIGIN,
  hasTable,
} from "./schema-check.ts";

const PUT = `INSERT INTO ${BACKUP_FILES} (hash, part, content) VALUES (?, ?, ?)`;

export const hasBackupFiles = (client: Client): boolean => hasTable(client, BACKUP_FILES);

/**
 * The files of deployed sites inside a backup, by the SHA-256 of their content, in parts that fit into memory. `create`
 * creates the table for them.
 */
export const backupFiles = (client: Client, { create = false } = {}) => {
  if (create) client.run(CREATE_BACKUP_FILES);
  return {
    /** Stores the whole file, or nothing if `parts` throws. */
    async put(hash: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
      let part = 0;
      client.run("BEGIN");
      try {
        for await (const content of parts) client.run(PUT, [hash, part++, content]);
        // An empty file has one empty part.
        if (part === 0) client.run(PUT, [hash, 0, new Uint8Array()]);
        client.run("COMMIT");
      } catch (error) {
        if (client.inTransaction) client.run("ROLLBACK");
        throw error;
      }
    },
    hashes: (): string[] =>
      client
        .query<{ hash: string }, []>(`SELECT hash FROM ${BACKUP_FILES} WHERE part = 0 ORDER BY hash`)
        .all()
        .map(({ hash }) => hash),
    *partsOf(hash: string): Generator<Uint8Array> {
      const query = client.query<{ content: Uint8Array }, [string, number]>(
        `SELECT content FROM ${BACKUP_FILES} WHERE hash = ? AND part = ?`,
      );
      for (let part = 0; ; part++) {
        const found = query.get(hash, part);
        if (!found) return;
        yield found.content;
      }
    },
  };
};

export type BackupFiles = ReturnType<typeof backupFiles>;

export const dropBackupFiles = (copy: Client): void => void copy.run(`DROP TABLE ${BACKUP_FILES}`);

/** Makes a copy of a replica a backup, which is an embedded database with a note of its origin. */
export const noteOrigin = (copy: Client): void => {
  const mark = replicaMark(copy);
  if (!mark) return;
  unmarkReplica(copy);
  copy.run(CREATE_BACKUP_ORIGIN);
  copy.run(`INSERT INTO ${BACKUP_ORIGIN} VALUES (?, ?)`, [mark.log, mark.position]);
};

/** Undefined for a backup of an embedded database. */
export const originOf = (backup: Client) =>
  hasTable(backup, BACKUP_ORIGIN)
    ? (backup
        .query<{ log: string; position: number }, []>(`SELECT log, position FROM ${BACKUP_ORIGIN}`)
        .get() ?? undefined)
    : undefined;

/** Fills the place of a digest while it is calculated. */
export const NO_DIGEST = "0".repeat(64);

/** Adds an empty field for the digest of a copy, as its last change. */
export const addDigestField = (copy: Client): void => {
  removeDigestField(copy);
  copy.run(CREATE_BACKUP_DIGEST);
  copy.run(`INSERT INTO ${BACKUP_DIGEST} VALUES (?)`, [NO_DIGEST]);
};

export const removeDigestField = (copy: Client): void =>
  void copy.run(`DROP TABLE IF EXISTS ${BACKUP_DIGEST}`);

/** The digest inside a backup, and the page that holds it; undefined for a backup of an older version. */
export const digestField = (backup: Client) => {
  if (!hasTable(backup, BACKUP_DIGEST)) return undefined;
  const field = backup.query<{ sha256: string; page: number; pageSize: number }, [string]>(
    `SELECT sha256, rootpage AS page, page_size AS pageSize FROM ${BACKUP_DIGEST}, sqlite_schema, pragma_page_size WHERE name = ?`,
  );
  return field.get(BACKUP_DIGEST) ?? { sha256: "", page: 1, pageSize: 0 };
};

/** Removes the note, and the mark of a replica whose file itself was kept as a backup. */
export const removeOrigin = (copy: Client): void => {
  copy.run(`DROP TABLE IF EXISTS ${BACKUP_ORIGIN}`);
  unmarkReplica(copy);
};

const SECRET_CONDITIONS: Record<string, string> = {
  certificates: "coalesce(key, order_key, token, key_authorization) IS NOT NULL",
  acme_accounts: "TRUE",
};

/** True if there is a private key that `removeSecrets` would remove. */
export const hasSecrets = (client: Client): boolean =>
  Object.entries(SECRET_CONDITIONS).some(
    ([table, isSecret]) =>
      hasTable(client, table) &&
      client.query(`SELECT 1 FROM ${table} WHERE ${isSecret} LIMIT 1`).get() !== null,
  );

/** Removes private keys and orders under way. The server then orders a certificate for each name. */
const REMOVE_KEYS = `
  UPDATE certificates SET key = NULL, chain = NULL, authority = NULL, not_before = NULL, not_after = NULL, ari_id = NULL,
    order_authority = NULL, order_url = NULL, order_key = NULL, token = NULL, key_authorization = NULL, next_at = 0
  WHERE ${SECRET_CONDITIONS["certificates"]}`;

/**
 * Removes every private key from a copy. A server that runs on the copy orders new certificates. The keys may stay in free
 * pages of the file until it is copied again.
 */
export const removeSecrets = (copy: Client): void => {
  if (hasTable(copy, "certificates")) copy.run(REMOVE_KEYS);
  if (hasTable(copy, "acme_accounts")) copy.run("DELETE FROM acme_accounts");
};

/**
 * Ends all sessions of the console, and sign-ins in progress, in a copy from `openCopy`, which overwrites their rows. An older
 * database may lack the tables.
 */
export const endSessions = (copy: Client): void => {
  for (const table of ["browser_states", "sealing_keys"])
    if (hasTable(copy, table)) copy.run(`DELETE FROM ${table}`);
};

/** The highest id that a pet event ever had; 0 if there was none. */
export const lastEventId = (client: Client): number =>
  client.query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'pet_events'").get()?.seq ??
  0;

/**
 * Removes the pet events from a copy. The id of the next event is above `last`. It also works on a database older than the
 * table of events.
 */
export const restartEventIds = (copy: Client, last: number): void => {
  if (hasTable(copy, "pet_events")) copy.run("DELETE FROM pet_events");
  copy.run("DELETE FROM sqlite_sequence WHERE name = 'pet_events'");
  copy.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('pet_events', ?)", [last]);
};
