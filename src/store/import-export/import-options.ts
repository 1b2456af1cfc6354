import type { NewPet } from "../pets/pet.ts";
import type { CategoryAccess } from "./category-names.ts";
import type { FormatOptions } from "./read-format.ts";
import type { ImportRepository } from "./repository.ts";
import type { Encoding } from "./source.ts";

export interface ImportOptions extends FormatOptions {
  /** Undefined: standard input. */
  path: string | undefined;
  /** Undefined: UTF-8, or UTF-16 with a byte order mark. */
  encoding: Encoding;
  /** Imports the whole file, even if it was imported before. */
  reimport: boolean;
  /** The path of the file for rejected rows. Without one they are only reported. */
  rejected: string | undefined;
}

export interface RowCounts {
  read: number;
  added: number;
  rejected: number;
}

/** A row as it would be added. */
export interface Preview {
  line: number;
  pet: NewPet;
  /** The category's name; undefined if it has no record. */
  category: string | undefined;
}

/** Called while an import runs. */
export interface Reporter {
  onNote(text: string): void;
  onProgress(counts: RowCounts & { bytes: number }): void;
  onRejected(line: number, reason: string): void;
}

export interface Dependencies {
  /** Undefined: rows are only validated. */
  imports: ImportRepository | undefined;
  categories: CategoryAccess;
  now(): number;
  reporter: Reporter;
  isStopped(): boolean;
}
