import { migrationFiles } from "./migration-files.ts" with { type: "macro" };

export interface Migration {
  /** The name that drizzle-kit gave the file. */
  readonly tag: string;
  readonly sql: string;
}

const FILES = migrationFiles();

/** The files of `drizzle/`, embedded, in order. Drizzle's own runner reads a folder, which an executable lacks. */
export const migrations: readonly Migration[] = FILES.all;

/**
 * The schema after the migration of that name, in one piece. A new database begins with it and continues with the later
 * migrations: that takes half the time. It stays right when a migration is added, and need not be renewed then.
 */
export const SQUASHED = FILES.squashed[0] as Migration;
