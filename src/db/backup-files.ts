import type { Database as Client } from "bun:sqlite";
import { BACKUP_FILES, CREATE_BACKUP_FILES, hasTable } from "./schema-check.ts";

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
