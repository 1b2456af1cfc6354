import { type CsvError, type Parser, parse } from "csv-parse";
import { parse as parseWhole } from "csv-parse/sync";
import { type Columns, FileRefused, countFields } from "./columns.ts";
import {
  type Batch,
  UnreadableRow,
  type LongLine,
  MAX_ROW,
  type Position,
  CR,
  type Row,
  TOO_LONG,
  countLines,
  endOfLine,
  isLineEnd,
  skippableLength,
  rowText,
} from "./row.ts";
import { HEAD_BYTES } from "./source.ts";

export const DELIMITERS = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;

/** Each by itself: a file may have been put together from several. */
const LINE_ENDS = ["\r\n", "\n", "\r"];

/** The first row of a file, and what follows it. */
export interface Header {
  cells: string[];
  delimiter: string;
  end: Position;
}

const headerWith = (head: Buffer, delimiter: string): Header | undefined => {
  try {
    const [first] = parseWhole(head, {
      delimiter,
      record_delimiter: LINE_ENDS,
      bom: true,
      to: 1,
      info: true,
      skip_empty_lines: true,
    }) as unknown as {
      record: string[];
      info: { bytes: number };
    }[];
    if (!first) return undefined;
    const { bytes } = first.info;
    return { cells: first.record, delimiter, end: { bytes, lines: countLines(head, 0, bytes) } };
  } catch {
    return undefined;
  }
};

/**
 * Reads the header at the beginning of a file; without a separator named, that one which shows most of the columns looked
 * for, then most columns. @throws FileRefused
 */
export const readHeader = (head: Buffer, columns: Columns, delimiter?: string): Header => {
  const candidates = delimiter === undefined ? Object.values(DELIMITERS) : [delimiter];
  const headers = candidates.map((candidate) => headerWith(head, candidate)).filter((found) => !!found);
  const worth = ({ cells }: Header) => countFields(cells, columns) * 10_000 + cells.length;
  const [best] = headers.toSorted((one, other) => worth(other) - worth(one));
  if (!best)
    throw new FileRefused(
      "there is no header: the first line must name the columns, such as name,categoryId,status",
    );
  if (best.end.bytes >= HEAD_BYTES)
    throw new FileRefused(
      `the header has no end within ${HEAD_BYTES / 1024} KiB: the first line must name the columns, such as name,categoryId,status`,
    );
  return best;
};

const NOT_CLOSED = `a quote is opened and not closed within ${MAX_ROW / 1024} KiB`;

const REASONS: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE:
    "a quote ends before its cell does; inside a quoted cell write two quotes for one",
  INVALID_OPENING_QUOTE:
    'a quote stands inside a cell that does not begin with one; quote the cell and write "" for "',
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_MAX_RECORD_SIZE: NOT_CLOSED,
};

const reasonOf = (error: CsvError): string => REASONS[error.code] ?? error.message;

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/** What was read and is not yet handed on: from the end of the last row on. */
interface Held {
  bytes: Buffer;
  start: number;
  /** Line ends before `start`. */
  lines: number;
}

/** How many of these bytes are blank lines at their beginning. The half of a line end is none yet. */
const blankIn = (bytes: Buffer): number => {
  let blank = 0;
  while (isLineEnd(bytes[blank])) blank++;
  return blank > 0 && blank === bytes.length && bytes[blank - 1] === CR ? blank - 1 : blank;
};

/** Where the last line of so many bytes ends, without its line end. */
const endOfContent = (bytes: Buffer, length: number): number => {
  let end = length;
  while (isLineEnd(bytes[end - 1])) end--;
  return end;
};

/** Finds where the rows of parsed bytes begin. */
const lineCounter = ({ bytes, start, lines }: Held) => {
  let at = 0;
  const pass = (to: number) => {
    lines += countLines(bytes, at, to);
    at = to;
  };
  return {
    /**
     * The line of the first thing that is not a line end from the last row on, which ends there; undefined if it is longer
     * than rows may be.
     */
    next(end: number, most = Infinity): number | undefined {
      let from = at;
      while (isLineEnd(bytes[from])) from++;
      pass(from);
      const line = lines + 1;
      if (end - start - at > most && endOfContent(bytes, end - start) - at > most) return undefined;
      pass(end - start);
      return line;
    },
    /** What is behind the last row, and behind blank lines. */
    rest(): Held {
      pass(at + blankIn(bytes.subarray(at)));
      return { bytes: bytes.subarray(at), start: start + at, lines };
    },
  };
};

/** Reads rows behind the header from chunks that begin at `place`. A row that is no CSV costs its first line alone. */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  place: Position,
  delimiter: string,
): AsyncGenerator<Batch> {
  let held: Held = { bytes: Buffer.alloc(0), start: place.bytes, lines: place.lines };
  let parser = parserAt(delimiter, held.start);
  /** What is wrong with the row that is held: the parser can do no more. */
  let wrong: string | undefined;
  let long: LongLine | undefined;
  let blank = 0;
  const take = (): Row[] => {
    const counter = lineCounter(held);
    const rows: Row[] = [];
    for (const { cells, end } of parser.take()) {
      const line = counter.next(end, MAX_ROW);
      if (line === undefined) {
        wrong = NOT_CLOSED;
        break;
      }
      if (isEmpty(cells)) blank++;
      else rows.push({ line, end, content: cells });
    }
    held = counter.rest();
    // With half a line end.
    if (held.bytes.length > MAX_ROW + 1) wrong ??= NOT_CLOSED;
    return rows;
  };
  /** Takes the first line that is held as one that cannot be read, and begins anew behind it, once it is there. */
  const giveUpLine = (reason: string, isLast: boolean): Row | undefined => {
    const { bytes, start, lines } = held;
    const length = endOfLine(bytes, 0) ?? (isLast ? bytes.length : undefined);
    if (length === undefined) {
      if (bytes.length > MAX_ROW + 1)
        long = { line: lines + 1, content: new UnreadableRow(rowText(bytes, 0, bytes.length), TOO_LONG) };
      return undefined;
    }
    const content = endOfContent(bytes, length);
    const counter = lineCounter(held);
    const end = start + length;
    counter.next(end);
    held = counter.rest();
    const broken = new UnreadableRow(rowText(bytes, 0, content), content > MAX_ROW ? TOO_LONG : reason);
    return { line: lines + 1, end, content: broken };
  };
  /** Reads what is held, of which `next` is new to the parser. */
  const read = async (next: Buffer, isLast: boolean): Promise<Batch> => {
    const { bytes, start } = held;
    const rows: Row[] = [];
    blank = 0;
    for (; ; next = held.bytes) {
      if (wrong === undefined) {
        const error = await parser.feed(next, isLast);
        wrong = error && reasonOf(error);
        for (const row of take()) rows.push(row);
      }
      const broken = wrong === undefined ? undefined : giveUpLine(wrong, isLast);
      if (!broken) break;
      rows.push(broken);
      wrong = undefined;
      parser = parserAt(delimiter, held.start);
      if (held.bytes.length === 0 && !isLast) break;
    }
    return { rows, blank, bytes, start, end: held.start };
  };
  /** Passes over more of a long line, in a batch of its own: no import comes to an end inside of it. */
  const passOver = (line: LongLine, isLast: boolean): Batch => {
    const { bytes, start, lines } = held;
    const length = endOfLine(bytes, 0) ?? (isLast ? bytes.length : undefined);
    const passed = length ?? skippableLength(bytes);
    const end = start + passed;
    held = { bytes: bytes.subarray(passed), start: end, lines: lines + countLines(bytes, 0, passed) };
    if (length === undefined) return { rows: [], bytes, start, end };
    long = undefined;
    wrong = undefined;
    parser = parserAt(delimiter, end);
    return { rows: [{ ...line, end }], bytes, start, end };
  };
  async function* readOn(chunk: Buffer, isLast: boolean): AsyncGenerator<Batch> {
    held.bytes = held.bytes.length === 0 ? chunk : Buffer.concat([held.bytes, chunk]);
    let next = chunk;
    if (long) {
      yield passOver(long, isLast);
      if (long) return;
      next = held.bytes;
    }
    yield await read(next, isLast);
    if (long) yield passOver(long, isLast);
  }
  for await (const chunk of chunks) yield* readOn(chunk, false);
  yield* readOn(Buffer.alloc(0), true);
}

interface Parsed {
  cells: string[];
  end: number;
}

/** A parser whose first byte is the file's byte `start`. */
const parserAt = (delimiter: string, start: number) => {
  let rows: Parsed[] = [];
  const parser: Parser = parse({
    delimiter,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW,
    // Not handed on one by one through the stream: that takes three times as long.
    on_record(cells: string[], { bytes }: { bytes: number }) {
      rows.push({ cells, end: start + bytes });
      return null;
    },
  });
  parser.on("error", () => {});
  parser.resume();
  return {
    take() {
      const taken = rows;
      rows = [];
      return taken;
    },
    /** Parses more bytes. @returns what is wrong with them, after which this parser can do no more */
    feed: (bytes: Buffer, isLast: boolean) =>
      new Promise<CsvError | undefined>((resolve) => {
        const done = (error?: Error | null) => resolve((error as CsvError | null | undefined) ?? undefined);
        if (!isLast) return void parser.write(bytes, done);
        parser.once("error", done);
        parser.once("end", () => resolve(undefined));
        if (bytes.length > 0) parser.write(bytes);
        parser.end();
      }),
  };
};
