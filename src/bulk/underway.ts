import { resolve } from "node:path";
import { type Rejections, assertFree, openRejections } from "./rejections.ts";
import type { Import, Imports } from "./repository.ts";

/** What an import is begun with, or gone on with. */
export interface Begun {
  /** One that this one goes on with. */
  before: Import | undefined;
  /** What is stored of it otherwise. */
  of: Omit<Import, "id" | "finishedAt" | "rejectedFile">;
  /** One of the same file that ended too early is forgotten. */
  again: boolean;
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
  { before, of, again, rejected, heading }: Begun,
): Promise<UnderWay> => {
  using taken = new DisposableStack();
  const rejectedFile = rejected === undefined ? null : resolve(rejected);
  if (before) taken.use(imports.hold(before.id));
  // What a finished one has rejected may be mended by now: another file takes its place.
  const isOurs = before?.finishedAt === null && before.rejectedFile === rejectedFile;
  if (rejected !== undefined && !isOurs) assertFree(rejected);
  const rejectedBytes = isOurs ? before.rejectedBytes : 0;
  const { head } = of;
  const state = before
    ? { ...before, head, rejectedFile, rejectedBytes, finishedAt: null }
    : { ...of, rejectedFile, finishedAt: null, id: await imports.begin({ ...of, rejectedFile }, again) };
  if (before) await imports.takeUp(state);
  else taken.use(imports.hold(state.id));
  const rejections =
    rejected === undefined
      ? undefined
      : openRejections(rejected, heading, isOurs ? rejectedBytes : undefined);
  if (rejections) taken.defer(() => rejections.close());
  const all = taken.move();
  return { state, rejections, [Symbol.dispose]: () => all.dispose() };
};
