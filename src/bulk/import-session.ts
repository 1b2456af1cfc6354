import { resolve } from "node:path";
import { NOTHING, type Rejections, assertFree, openRejections } from "./rejected-file.ts";
import type { Import, Imports } from "./repository.ts";

/** What an import is begun with, or gone on with. */
export interface Begun {
  /** One that this one goes on with. */
  before: Import | undefined;
  /** What is stored of it otherwise. */
  of: Omit<Import, "id" | "finishedAt" | "rejectedFile">;
  /** One of the same file that ended too early is forgotten. */
  again: boolean;
  /** Id of the newest import that was known when `before` was looked for. */
  newest: number;
  /** The file for rejected rows, and what that begins with. */
  rejected: string | undefined;
  heading: string;
}

/** An import that this run alone works on, until it is disposed of. */
export interface UnderWay extends Disposable {
  state: Import;
  rejections: Rejections | undefined;
}

/** Takes up an import; only then its file of rejected rows is touched. @throws FileRefused, Overtaken */
export const takeUp = async (
  imports: Imports,
  { before, of, again, newest, rejected, heading }: Begun,
): Promise<UnderWay> => {
  using taken = new DisposableStack();
  const rejectedFile = rejected === undefined ? null : resolve(rejected);
  if (before) taken.use(imports.hold(before.id));
  // What a finished one has rejected may be mended by now: another file takes its place.
  const isOurs = before?.finishedAt === null && before.rejectedFile === rejectedFile;
  if (rejected !== undefined && !isOurs) assertFree(rejected);
  const rejections =
    rejected === undefined ? undefined : openRejections(rejected, heading, isOurs ? before : undefined);
  if (rejections) taken.defer(() => rejections.close());
  const begun = { ...of, ...before, ...(rejections?.written ?? NOTHING), head: of.head, rejectedFile };
  const id = before?.id ?? (await imports.begin(begun, again, newest));
  const state = { ...begun, id, finishedAt: null };
  if (before) await imports.takeUp(state);
  else taken.use(imports.hold(id));
  const all = taken.move();
  return { state, rejections, [Symbol.dispose]: () => all.dispose() };
};
