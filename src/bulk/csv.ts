import { type CsvError, type Parser, parse } from "csv-parse";
import { parse as parseWhole } from "csv-parse/sync";
import { type Columns, FileRefused, countFields } from "./columns.ts";
import { type Batch, Broken, MOST_ROW, type Place, type Row, countLines } from "./read.ts";

export const DELIMITERS = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;

/** The first row of a file, and what follows it. */
export interface Header {
  cells: string[];
  delimiter: string;
  end: Place;
}

const headerWith = (head: Buffer, delimiter: string): Header | undefined => {
  try {
    const [first] = parseWhole(head, {
      delimiter,
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
  return best;
};

const REASONS: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE:
    "a quote ends before its cell does; inside a quoted cell write two quotes for one",
  INVALID_OPENING_QUOTE:
    'a quote stands inside a cell that does not begin with one; quote the cell and write "" for "',
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
  CSV_MAX_RECORD_SIZE: `a quote is opened and not closed within ${MOST_ROW / 1024} KiB`,
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

/** Finds where the rows of parsed bytes begin. */
const lineCounter = (held: Held) => {
  let at = held.start;
  let { lines } = held;
  return {
    /** The line of the first thing that is not a line end from the last row on. */
    next(end: number): number {
      let from = at - held.start;
      while (held.bytes[from] === 10 || held.bytes[from] === 13) if (held.bytes[from++] === 10) lines++;
      const line = lines + 1;
      lines += countLines(held.bytes, from, end - held.start);
      at = end;
      return line;
    },
    at: () => at,
    lines: () => lines,
  };
};

/** Reads rows behind the header from chunks that begin at `place`. A row that is no CSV costs its first line alone. */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  place: Place,
  delimiter: string,
): AsyncGenerator<Batch> {
  let held: Held = { bytes: Buffer.alloc(0), start: place.bytes, lines: place.lines };
  let parser = parserAt(delimiter, held.start);
  const take = (): Row[] => {
    const counter = lineCounter(held);
    const rows = parser
      .take()
      .map(({ cells, end }): Row => ({ line: counter.next(end), end, content: cells }));
    const at = counter.at();
    held = { bytes: held.bytes.subarray(at - held.start), start: at, lines: counter.lines() };
    return rows.filter(({ content }) => !isEmpty(content as string[]));
  };
  /** Takes the first line that is held as one that cannot be read, and begins anew behind it. */
  const giveUpLine = (error: CsvError): Row => {
    const counter = lineCounter(held);
    const blank = held.bytes.findIndex((byte) => byte !== 10 && byte !== 13);
    const feed = held.bytes.indexOf(10, blank);
    const end = held.start + (feed === -1 ? held.bytes.length : feed + 1);
    const text = held.bytes
      .subarray(blank, end - held.start)
      .toString()
      .replace(/\r?\n$/, "");
    const row = { line: counter.next(end), end, content: new Broken(text, reasonOf(error)) };
    held = { bytes: held.bytes.subarray(end - held.start), start: end, lines: counter.lines() };
    parser = parserAt(delimiter, end);
    return row;
  };
  const read = async (bytes: Buffer, isLast: boolean): Promise<Batch> => {
    const batch: Batch = { rows: [], bytes: held.bytes, start: held.start };
    for (let next = bytes; ; next = held.bytes) {
      const error = await parser.feed(next, isLast);
      for (const row of take()) batch.rows.push(row);
      if (!error) return batch;
      batch.rows.push(giveUpLine(error));
      if (held.bytes.length === 0 && !isLast) return batch;
    }
  };
  for await (const chunk of chunks) {
    held.bytes = held.bytes.length === 0 ? chunk : Buffer.concat([held.bytes, chunk]);
    yield await read(chunk, false);
  }
  yield await read(Buffer.alloc(0), true);
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
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MOST_ROW,
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
