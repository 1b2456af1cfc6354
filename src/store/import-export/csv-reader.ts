import { type CsvError, type Parser, parse } from "csv-parse";
import { parse as parseRows } from "csv-parse/sync";
import { type Columns, FileRefused, countFields, hasRequired } from "./columns.ts";
import {
  type Batch,
  UnreadableRow,
  type LongLine,
  MAX_ROW_BYTES,
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

/** All of them: a file may be the concatenation of several. */
const LINE_ENDS = ["\r\n", "\n", "\r"];

/** How many rows above the header may hold a title, a date or an address. */
const MAX_TITLE_ROWS = 10;

/** The row that names the columns. */
interface Header {
  cells: string[];
  delimiter: string;
  end: Position;
  /** How many rows are above it. */
  titles: number;
}

/** Parses the head of a file, whose last row may be cut off. */
const parseHead = (head: Buffer, delimiter: string, options: object) =>
  parseRows(head, {
    delimiter,
    record_delimiter: LINE_ENDS,
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    ...options,
  }) as unknown[];

/** Row `number` of a file, from 1; undefined if it is missing or cannot be read. */
const rowAt = (head: Buffer, delimiter: string, number: number): Header | undefined => {
  try {
    const rows = parseHead(head, delimiter, { to: number, info: true }) as {
      record: string[];
      info: { bytes: number };
    }[];
    const row = rows[number - 1];
    if (!row) return undefined;
    const { bytes } = row.info;
    const end = { bytes, lines: countLines(head, 0, bytes) };
    return { cells: row.record, delimiter, end, titles: number - 1 };
  } catch {
    return undefined;
  }
};

/** The first row that has all required fields, or else the first row. */
const headerWith = (head: Buffer, delimiter: string, columns: Columns): Header | undefined => {
  const first = rowAt(head, delimiter, 1);
  let row = first;
  for (let number = 2; row && number <= MAX_TITLE_ROWS + 2; number++) {
    if (hasRequired(row.cells, columns)) return row;
    row = rowAt(head, delimiter, number);
  }
  return first;
};

/**
 * Reads the header at the start of a file, and skips titles above it. Without a delimiter it takes the one with which the
 * header has the most fields, and then the most columns.
 * @throws FileRefused
 */
export const readHeader = (head: Buffer, columns: Columns, delimiter?: string): Header => {
  const candidates = delimiter === undefined ? Object.values(DELIMITERS) : [delimiter];
  const headers = candidates
    .map((candidate) => headerWith(head, candidate, columns))
    .filter((found) => found !== undefined);
  const score = ({ cells }: Header) => countFields(cells, columns) * 10_000 + cells.length;
  const [best] = headers.toSorted((a, b) => score(b) - score(a));
  if (!best)
    throw new FileRefused(
      "there is no header: the first line must name the columns, such as name,categoryId,status",
    );
  if (best.end.bytes >= HEAD_BYTES)
    throw new FileRefused(
      `the header is longer than ${HEAD_BYTES / 1024} KiB: the first line must name the columns, such as name,categoryId,status`,
    );
  return best;
};

/** The first rows after the header, as far as they can be read. */
export const sampleRows = (head: Buffer, { delimiter, end }: Header): string[][] => {
  const rows: string[][] = [];
  try {
    parseHead(head.subarray(end.bytes), delimiter, { on_record: (cells: string[]) => void rows.push(cells) });
  } catch {
    // The head may end inside a row, and a row that is not CSV is rejected later.
  }
  return rows;
};

const NOT_CLOSED = `a quote is opened and not closed within ${MAX_ROW_BYTES / 1024} KiB`;

const REASONS: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE:
    "a quote ends before its cell does: write two quotes for one inside a quoted cell",
  INVALID_OPENING_QUOTE:
    'a quote is inside a cell that does not start with one: quote the cell and write "" for "',
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_MAX_RECORD_SIZE: NOT_CLOSED,
};

const reasonOf = (error: CsvError): string => REASONS[error.code] ?? error.message;

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/** Bytes after the last row that was returned. */
interface Buffered {
  bytes: Buffer;
  start: number;
  /** Number of line ends before `start`. */
  lines: number;
}

/** The length of the blank lines at the start. A CR at the end, which may be half of a line end, does not count. */
const blankLength = (bytes: Buffer): number => {
  let blank = 0;
  while (isLineEnd(bytes[blank])) blank++;
  return blank > 0 && blank === bytes.length && bytes[blank - 1] === CR ? blank - 1 : blank;
};

/** The index of the end of the last line, without its line end. */
const endOfContent = (bytes: Buffer, length: number): number => {
  let end = length;
  while (isLineEnd(bytes[end - 1])) end--;
  return end;
};

/** Finds the lines on which the parsed rows of a buffer start. */
const lineCounter = ({ bytes, start, lines }: Buffered) => {
  let at = 0;
  const pass = (to: number) => {
    lines += countLines(bytes, at, to);
    at = to;
  };
  return {
    /** The line of the next row, which ends at `end`; undefined if the row is longer than `maxBytes`. */
    next(end: number, maxBytes = Infinity): number | undefined {
      let from = at;
      while (isLineEnd(bytes[from])) from++;
      pass(from);
      const line = lines + 1;
      if (end - start - at > maxBytes && endOfContent(bytes, end - start) - at > maxBytes) return undefined;
      pass(end - start);
      return line;
    },
    /** The bytes after the last row and its blank lines. */
    rest(): Buffered {
      pass(at + blankLength(bytes.subarray(at)));
      return { bytes: bytes.subarray(at), start: start + at, lines };
    },
  };
};

interface Parsed {
  cells: string[];
  end: number;
}

/** Takes parsed rows off the buffer, up to the first that is too long. */
const takeRows = (buffered: Buffered, parsed: readonly Parsed[]) => {
  const counter = lineCounter(buffered);
  const rows: Row[] = [];
  let blank = 0;
  let hasLongRow = false;
  for (const { cells, end } of parsed) {
    const line = counter.next(end, MAX_ROW_BYTES);
    hasLongRow = line === undefined;
    if (line === undefined) break;
    if (isEmpty(cells)) blank++;
    else rows.push({ line, end, content: cells });
  }
  return { rows, blank, hasLongRow, rest: counter.rest() };
};

/** The length of the first line with its line end; undefined if the line is incomplete. */
const lineLength = (bytes: Buffer, isLast: boolean): number | undefined =>
  endOfLine(bytes, 0) ?? (isLast ? bytes.length : undefined);

/** Takes the first line off the buffer as a row that cannot be read; undefined if the line is incomplete. */
const takeUnreadable = (buffered: Buffered, reason: string, isLast: boolean) => {
  const { bytes, start, lines } = buffered;
  const length = lineLength(bytes, isLast);
  if (length === undefined) return undefined;
  const textLength = endOfContent(bytes, length);
  const end = start + length;
  const counter = lineCounter(buffered);
  counter.next(end);
  const content = new UnreadableRow(
    rowText(bytes, 0, textLength),
    textLength > MAX_ROW_BYTES ? TOO_LONG : reason,
  );
  return { row: { line: lines + 1, end, content }, rest: counter.rest() };
};

/** Reads rows after the header from chunks that start at `position`. A row that is not CSV costs only its first line. */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  position: Position,
  delimiter: string,
): AsyncGenerator<Batch> {
  let buffered: Buffered = { bytes: Buffer.alloc(0), start: position.bytes, lines: position.lines };
  let parser = parserAt(delimiter, buffered.start);
  /** The problem of the first buffered row. The parser cannot continue after it. */
  let problem: string | undefined;
  let long: LongLine | undefined;

  /** Parses the buffer, in which `next` is new to the parser. */
  const read = async (next: Buffer, isLast: boolean): Promise<Batch> => {
    const { bytes, start } = buffered;
    const rows: Row[] = [];
    let blank = 0;
    for (; ; next = buffered.bytes) {
      if (problem === undefined) {
        const error = await parser.feed(next, isLast);
        const result = takeRows(buffered, parser.take());
        for (const row of result.rows) rows.push(row);
        blank += result.blank;
        buffered = result.rest;
        problem = result.hasLongRow ? NOT_CLOSED : error && reasonOf(error);
        // One more byte: half a line end may follow the longest row.
        if (buffered.bytes.length > MAX_ROW_BYTES + 1) problem ??= NOT_CLOSED;
      }
      if (problem === undefined) break;
      const unreadable = takeUnreadable(buffered, problem, isLast);
      if (!unreadable) {
        const text = rowText(buffered.bytes, 0, buffered.bytes.length);
        if (buffered.bytes.length > MAX_ROW_BYTES + 1)
          long = { line: buffered.lines + 1, content: new UnreadableRow(text, TOO_LONG) };
        break;
      }
      rows.push(unreadable.row);
      buffered = unreadable.rest;
      problem = undefined;
      parser = parserAt(delimiter, buffered.start);
      if (buffered.bytes.length === 0 && !isLast) break;
    }
    return { rows, blank, bytes, start, end: buffered.start };
  };

  /** Skips a part of a long line in a separate batch: no progress is stored inside the line. */
  const skipPart = (line: LongLine, isLast: boolean): Batch => {
    const { bytes, start, lines } = buffered;
    const length = lineLength(bytes, isLast);
    const skipped = length ?? skippableLength(bytes);
    const end = start + skipped;
    buffered = { bytes: bytes.subarray(skipped), start: end, lines: lines + countLines(bytes, 0, skipped) };
    if (length === undefined) return { rows: [], bytes, start, end };
    long = undefined;
    problem = undefined;
    parser = parserAt(delimiter, end);
    return { rows: [{ ...line, end }], bytes, start, end };
  };

  async function* readChunk(chunk: Buffer, isLast: boolean): AsyncGenerator<Batch> {
    buffered.bytes = buffered.bytes.length === 0 ? chunk : Buffer.concat([buffered.bytes, chunk]);
    let next = chunk;
    if (long) {
      yield skipPart(long, isLast);
      if (long) return;
      next = buffered.bytes;
    }
    yield await read(next, isLast);
    if (long) yield skipPart(long, isLast);
  }
  for await (const chunk of chunks) yield* readChunk(chunk, false);
  yield* readChunk(Buffer.alloc(0), true);
}

/** A parser that starts at byte `start` of the file. */
const parserAt = (delimiter: string, start: number) => {
  let rows: Parsed[] = [];
  const parser: Parser = parse({
    delimiter,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    // Collected here: passing rows one by one through the stream takes three times as long.
    on_record(cells: string[], { bytes }: { bytes: number }) {
      rows.push({ cells, end: start + bytes });
      return null;
    },
  });
  parser.on("error", () => {});
  parser.resume();
  return {
    take() {
      const parsed = rows;
      rows = [];
      return parsed;
    },
    /** Parses more bytes. After the error that it returns, the parser cannot continue. */
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
