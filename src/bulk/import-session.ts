import { resolve } from "node:path";
import { NO_REJECTED, type RejectedFile, assertNoFile, openRejectedFile } from "./rejected-file.ts";
import type { Import, Imports } from "./repository.ts";

/** What an import is begun with, or gone on with. */
export interface SessionOptions {
  /** One that this one goes on with. */
  previous: Import | undefined;
  /** What is stored of it otherwise. */
  of: Omit<Import, "id" | "finishedAt" | "rejectedFile">;
  /** One of the same file that ended too early is forgotten. */
  reimport: boolean;
  /** Id of the newest import that was known when `before` was looked for. */
  newest: number;
  /** The file for rejected rows, and what that begins with. */
  rejected: string | undefined;
  heading: string;
}

/** An import that this run alone works on, until it is disposed of. */
export interface ImportSession extends Disposable {
  state: Import;
  rejections: RejectedFile | undefined;
}

/** Takes up an import; only then its file of rejected rows is touched. @throws FileRefused, Overtaken */
export const openSession = async (
  imports: Imports,
  { previous: before, of, reimport: again, newest, rejected, heading }: SessionOptions,
): Promise<ImportSession> => {
  using taken = new DisposableStack();
  const rejectedFile = rejected === undefined ? null : resolve(rejected);
  if (before) taken.use(imports.hold(before.id));
  // What a finished one has rejected may be mended by now: another file takes its place.
  const isOurs = before?.finishedAt === null && before.rejectedFile === rejectedFile;
  if (rejected !== undefined && !isOurs) assertNoFile(rejected);
  const rejections =
    rejected === undefined ? undefined : openRejectedFile(rejected, heading, isOurs ? before : undefined);
  if (rejections) taken.defer(() => rejections.close());
  const begun = { ...of, ...before, ...(rejections?.written ?? NO_REJECTED), head: of.head, rejectedFile };
  const id = before?.id ?? (await imports.start(begun, again, newest));
  const state = { ...begun, id, finishedAt: null };
  if (before) await imports.resume(state);
  else taken.use(imports.hold(id));
  const all = taken.move();
  return { state, rejections, [Symbol.dispose]: () => all.dispose() };
};
