import type { Database as Client } from "bun:sqlite";
import { isStorageFailure } from "../lib/storage-errors.ts";
import type { Write } from "./write.ts";

const UNDO = "ROLLBACK TO act; RELEASE act";

/**
 * Returns a function that runs one write inside the open transaction, and returns a function that settles the write's promise
 * after the COMMIT.
 * @param isKept if given, it is asked after each write: unless it returns true, everything that the write did is undone
 */
export const writeRunner = (client: Client, isKept?: () => boolean) => {
  const savepointStatement = client.prepare("SAVEPOINT act");
  const releaseStatement = client.prepare("RELEASE act");
  return ({ statements, last, resolve, reject }: Write): (() => void) => {
    // SQLite itself undoes a single statement that fails. Several statements need a savepoint.
    const needsSavepoint = isKept !== undefined || statements.length > 1 || last !== undefined;
    if (needsSavepoint) savepointStatement.run();
    try {
      const rows = statements.map(({ query, values }) => query.all(values));
      for (const { query, values } of last?.(rows) ?? []) query.all(values);
      if (isKept?.() === false) client.run(UNDO);
      else if (needsSavepoint) releaseStatement.run();
      return () => resolve(rows);
    } catch (error) {
      if (isStorageFailure(error) || !client.inTransaction) throw error;
      if (needsSavepoint) client.run(UNDO);
      return () => reject(error);
    }
  };
};

export type WriteRunner = ReturnType<typeof writeRunner>;
