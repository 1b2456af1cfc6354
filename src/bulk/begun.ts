import { FileRefused } from "./columns.ts";
import type { Import } from "./repository.ts";
import { type Fingerprint, type Source, fingerprint, hashOf, skip } from "./source.ts";
import type { Place } from "./read.ts";

/** Where an import begins to read rows: at the first, or behind those that an import before has read. */
export interface Beginning {
  place: Place;
  /** What is behind that place. */
  rest: AsyncIterable<Buffer>;
  /** Of what is before it. */
  print: Fingerprint;
  source: Source;
  /** The import that this one goes on with. */
  before: Import | undefined;
}

/**
 * True if the import may be of a file that begins so. One that is finished may have been of a shorter file: rows that were
 * appended since are still to be imported.
 */
export const mayBeOf =
  (head: Buffer) =>
  ({ head: before, hash, bytes, read, finishedAt }: Import): boolean => {
    if (finishedAt === null || bytes > head.length) return before === hashOf(head);
    return read > 0 && hash === hashOf(head.subarray(0, bytes));
  };

/** Skips what an import before has read; undefined if the file differs there. */
const behind = async (source: Source, before: Import): Promise<Beginning | undefined> => {
  const print = fingerprint();
  const { place, rest } = await skip(source.chunks, before.bytes, print);
  return print.soFar() === before.hash ? { place, rest, print, source, before } : undefined;
};

/**
 * Finds the place to begin at: behind what an import of the same file has read, or at `first`, which is the first row.
 * @throws FileRefused if an import of it ended too early and the file has changed since
 */
export const beginningOf = async (
  open: () => Promise<Source>,
  opened: Source,
  candidates: readonly Import[],
  { first, canReopen }: { first: number; canReopen: boolean },
): Promise<Beginning> => {
  let source = opened;
  for (const candidate of candidates.filter(mayBeOf(opened.head))) {
    const found = await behind(source, candidate);
    if (found) return found;
    if (candidate.finishedAt === null || !canReopen)
      throw new FileRefused(
        `it begins like ${candidate.file}, of which ${candidate.read} rows were imported, but differs before the end of those: give the file as it was to go on, or --again to import all of this one`,
      );
    source = await open();
  }
  const print = fingerprint();
  return { ...(await skip(source.chunks, first, print)), print, source, before: undefined };
};
