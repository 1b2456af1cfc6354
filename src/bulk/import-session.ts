import { resolve } from "node:path";
import { NO_REJECTED, type RejectedFile, assertNoFile, openRejectedFile } from "./rejected-file.ts";
import type { Import, ImportRepository } from "./repository.ts";

export interface SessionOptions {
  /** The import that this one continues. */
  previous: Import | undefined;
  /** The record of a new import. */
  record: Omit<Import, "id" | "finishedAt" | "rejectedFile">;
  /** Forgets an interrupted import of the same file. */
  reimport: boolean;
  /** The highest id among the imports that were searched for `previous`. */
  newestId: number;
  /** The path of the file of rejected rows, and the start of that file. */
  rejected: string | undefined;
  heading: string;
}

/** An import that no other process can write to until it is disposed of. */
export interface ImportSession extends Disposable {
  state: Import;
  rejectedFile: RejectedFile | undefined;
}

/**
 * Starts an import or continues one. The file of rejected rows is opened only after the import is locked.
 * @throws FileRefused, ConcurrentImport
 */
export const openSession = async (
  imports: ImportRepository,
  { previous, record, reimport, newestId, rejected, heading }: SessionOptions,
): Promise<ImportSession> => {
  using resources = new DisposableStack();
  const path = rejected === undefined ? null : resolve(rejected);
  if (previous) resources.use(imports.hold(previous.id));
  // The user may have corrected the rows that a finished import rejected: only an interrupted one keeps its file.
  const isSameFile = previous?.finishedAt === null && previous.rejectedFile === path;
  if (rejected !== undefined && !isSameFile) assertNoFile(rejected);
  const rejectedFile =
    rejected === undefined
      ? undefined
      : openRejectedFile(rejected, heading, isSameFile ? previous : undefined);
  if (rejectedFile) resources.defer(() => rejectedFile.close());
  const progress = rejectedFile?.written ?? NO_REJECTED;
  const { head, columns } = record;
  const started = { ...record, ...previous, ...progress, head, columns, rejectedFile: path };
  const id = previous?.id ?? (await imports.start(started, reimport, newestId));
  const state = { ...started, id, finishedAt: null };
  if (previous) await imports.resume(state);
  else resources.use(imports.hold(id));
  const owned = resources.move();
  return { state, rejectedFile, [Symbol.dispose]: () => owned.dispose() };
};
