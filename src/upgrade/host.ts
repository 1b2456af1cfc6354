import type { Version } from "./record.ts";

/** What an upgrade uses of the machine, besides the files of the executable. */
export interface Host {
  /** Undefined if no service runs this executable now. */
  service: UpgradedService | undefined;
  dataDir: string;
  /** The newest migration of the database; undefined if there is no database. */
  newestMigration(): string | undefined;
  /** Backs up the database. @returns the file; undefined if there is no database */
  backUp(): Promise<string | undefined>;
  /** The copy that the server took before it migrated the database to what it is now; undefined if there is none. */
  copyBeforeMigration(since: number): string | undefined;
  /** Replaces the database, with a command of this program. */
  restore(program: string, backup: string): Promise<void>;
  /** Removes backups of earlier upgrades. */
  removeBackups(except: string | undefined): void;
  /** What this program is. */
  current: Omit<Version, "sha256">;
  now(): number;
  /** Tells the user about a step. */
  say(line: string): void;
}

export interface UpgradedService {
  stop(): Promise<void>;
  /** Starts it, or stops and starts it, and waits for `/readyz`. @returns why it is not ready; undefined if it is */
  restart(): Promise<string | undefined>;
}
