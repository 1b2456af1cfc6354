import { basename } from "node:path";
import { quantity } from "../../lib/quantity.ts";
import { FileRefused } from "./columns.ts";
import type { Import } from "./repository.ts";
import type { Position } from "./row.ts";
import { type Fingerprint, type Source, fingerprint, sha256, skip } from "./source.ts";

/** The position from which an import reads rows: the first row, or the first one after an earlier import's rows. */
export interface ResumePoint {
  position: Position;
  /** The file after this position. */
  rest: AsyncIterable<Buffer>;
  /** The fingerprint of the file up to this position. */
  fingerprint: Fingerprint;
  source: Source;
  /** The import that this one continues. */
  previous: Import | undefined;
}

/**
 * True if the import may be of the file with this head. After a finished import the file may have grown: its new rows are
 * still to be imported.
 */
const mayBeSameFile =
  (fileHead: Buffer) =>
  ({ head, hash, bytes, read, finishedAt }: Import): boolean => {
    if (finishedAt === null || bytes > fileHead.length) return head === sha256(fileHead);
    return read > 0 && hash === sha256(fileHead.subarray(0, bytes));
  };

const DIFFERS = "these rows have changed since: import the unchanged file to continue";
const CUT_OFF =
  "the last of these rows was cut off, and is longer now: check that row, and import the rows after it as a separate file";

/** Why an interrupted import cannot continue with these columns; undefined if it can. */
const otherColumns = (previous: Import, columns: string): string | undefined =>
  previous.finishedAt !== null || previous.columns === null || previous.columns === columns
    ? undefined
    : `these were read with other columns (${previous.columns}): use the same --map flags to continue`;

/** Skips the rows that a previous import read, or returns the reason why that import cannot continue. */
const resumeAfter = async (
  source: Source,
  previous: Import,
  columns: string,
): Promise<ResumePoint | string> => {
  const read = fingerprint();
  const { position, rest, isInside } = await skip(source.chunks, previous.bytes, read);
  if (read.digest() !== previous.hash) return DIFFERS;
  if (isInside) return CUT_OFF;
  return otherColumns(previous, columns) ?? { position, rest, fingerprint: read, source, previous };
};

interface ResumeOptions {
  /** The start of the first row, in bytes. */
  firstRow: number;
  /** The columns of its fields, as JSON. */
  columns: string;
  /** Ignores finished imports. */
  reimport: boolean;
  /** False for standard input. */
  canReopen: boolean;
  debug(line: string): void;
}

/**
 * Finds the place at which an import starts.
 * @throws FileRefused if an import of the file was interrupted and the file or its columns have changed since, or if an
 *   import ended inside a line
 */
export const findResumePoint = async (
  open: () => Promise<Source>,
  opened: Source,
  imports: readonly Import[],
  { firstRow, columns, reimport, canReopen, debug }: ResumeOptions,
): Promise<ResumePoint> => {
  let source = opened;
  const candidates = reimport ? imports.filter(({ finishedAt }) => finishedAt === null) : imports;
  for (const candidate of candidates.filter(mayBeSameFile(opened.head))) {
    const found = await resumeAfter(source, candidate, columns);
    if (typeof found !== "string") {
      debug(`continues import ${candidate.id} at byte ${candidate.bytes}: the file begins with its rows`);
      return found;
    }
    const isOtherFile = found === DIFFERS && candidate.finishedAt !== null;
    if (!canReopen || !(reimport || isOtherFile))
      throw new FileRefused(
        `it starts like ${basename(candidate.file)} (${quantity(candidate.read, "row")} imported), but ${found}, or use --again${reimport ? " with its path" : ""} to import all of this one`,
      );
    debug(
      `does not continue import ${candidate.id}: ${reimport ? "--again imports all rows" : "its rows differ"}`,
    );
    source = await open();
  }
  debug("starts at the first row: no import to continue has read this file");
  const read = fingerprint();
  const { position, rest } = await skip(source.chunks, firstRow, read);
  return { position, rest, fingerprint: read, source, previous: undefined };
};
