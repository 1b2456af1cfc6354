import { FileRefused } from "./columns.ts";
import type { Import } from "./repository.ts";
import { type Fingerprint, type Source, fingerprint, hashOf, skip } from "./source.ts";
import { quantity } from "../lib/quantity.ts";
import type { Position } from "./row.ts";

/** Where an import begins to read rows: at the first, or behind those that an import before has read. */
export interface ResumePoint {
  place: Position;
  /** What is behind that place. */
  rest: AsyncIterable<Buffer>;
  /** Of what is before it. */
  print: Fingerprint;
  source: Source;
  /** The import that this one goes on with. */
  previous: Import | undefined;
}

/**
 * True if the import may be of a file that begins so. One that is finished may have been of a shorter file: rows that were
 * appended since are still to be imported.
 */
export const mayBeSameFile =
  (head: Buffer) =>
  ({ head: before, hash, bytes, read, finishedAt }: Import): boolean => {
    if (finishedAt === null || bytes > head.length) return before === hashOf(head);
    return read > 0 && hash === hashOf(head.subarray(0, bytes));
  };

const DIFFERS = "differs before the end of those: give the file as it was to go on";
const CUT_OFF =
  "goes on inside the last of those, which was cut off: see what became of that, and import the rows behind it as a file of their own";

/** Skips what an import before has read, or says why it cannot be gone on with. */
const resumeAfter = async (source: Source, before: Import): Promise<ResumePoint | string> => {
  const print = fingerprint();
  const { place, rest, isInside } = await skip(source.chunks, before.bytes, print);
  if (print.digest() !== before.hash) return DIFFERS;
  return isInside ? CUT_OFF : { place, rest, print, source, previous: before };
};

export interface ResumeOptions {
  /** Where the first row is. */
  firstRow: number;
  /** Whatever was imported before, but for one that ended too early. */
  reimport: boolean;
  /** False for standard input. */
  canReopen: boolean;
}

/**
 * Finds the place to begin at: behind what an import of the same file has read, or at the first row.
 * @throws FileRefused if an import of it ended too early and the file has changed since, or if one ended inside a line
 */
export const findResumePoint = async (
  open: () => Promise<Source>,
  opened: Source,
  imports: readonly Import[],
  { firstRow: first, reimport: again, canReopen }: ResumeOptions,
): Promise<ResumePoint> => {
  let source = opened;
  const candidates = again ? imports.filter(({ finishedAt }) => finishedAt === null) : imports;
  for (const candidate of candidates.filter(mayBeSameFile(opened.head))) {
    const found = await resumeAfter(source, candidate);
    if (typeof found !== "string") return found;
    const isOther = found === DIFFERS && candidate.finishedAt !== null;
    if (!canReopen || !(again || isOther))
      throw new FileRefused(
        `it begins like ${candidate.file}, of which ${quantity(candidate.read, "row")} ${candidate.read === 1 ? "was" : "were"} imported, but ${found}, or --again${again ? " with its path" : ""} to import all of this one`,
      );
    source = await open();
  }
  const print = fingerprint();
  const { place, rest } = await skip(source.chunks, first, print);
  return { place, rest, print, source, previous: undefined };
};
