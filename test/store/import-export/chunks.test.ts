import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readCsv } from "../../../src/store/import-export/csv-reader.ts";
import { readNdjson } from "../../../src/store/import-export/ndjson-reader.ts";
import {
  START,
  type Batch,
  UnreadableRow,
  type Position,
  type Row,
} from "../../../src/store/import-export/row.ts";
import { fingerprint, skip } from "../../../src/store/import-export/source.ts";
import { outcomeOf } from "../../support/outcome.ts";

type Reader = (chunks: AsyncIterable<Buffer>, place: Position) => AsyncGenerator<Batch>;

const csv: Reader = (chunks, place) => readCsv(chunks, place, ",");

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** All rows of a text that arrives in chunks of one size; batches must join without a gap. */
const read = async (reader: Reader, text: string | Buffer, size = Infinity, place = START) => {
  const bytes = Buffer.from(text);
  const { rest, position: start } = await skip(
    cut(bytes, Math.min(size, bytes.length)),
    place.bytes,
    fingerprint(),
  );
  const rows: Row[] = [];
  let at = start.bytes;
  for await (const batch of reader(rest, start)) {
    expect(batch.start).toBe(at);
    at = batch.end;
    expect(batch.bytes.subarray(0, at - batch.start)).toEqual(bytes.subarray(batch.start, at));
    for (const { end } of batch.rows) expect(end).toBeLessThanOrEqual(at);
    rows.push(...batch.rows);
  }
  return rows;
};

const formatRows = (rows: Row[]): string[] =>
  rows.map(({ line, end, content }) => `${line} ${end} ${JSON.stringify(content)}`);

/** The cells or the broken text of each row. */
const cellsOf = (rows: Row[]) =>
  rows.map(({ line, content }) => [line, content instanceof UnreadableRow ? content.text : content]);

const SIZES = [1, 2, 3, 5, 11];
const PIECES = [
  "a",
  '"',
  '""',
  ",",
  "\n",
  "\r\n",
  "\r",
  " ",
  "é",
  "😀",
  '"x"',
  "b,1\n",
  '"q\nr",2\n',
  '"s\rt"',
  ",,\r\n",
];
const OBJECTS = ["{", "}", '{"name":"x"}', '{"name":"x"}\n', "\n", "\r\n", "\r", " ", "[1]", "é", "\uFEFF"];

describe.each([
  ["CSV", csv, PIECES],
  ["NDJSON", readNdjson as Reader, OBJECTS],
])("%s, well-formed or not", (_, reader, pieces) => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(""));

  test("has the same rows however it is split into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...SIZES), async (text, size) => {
        expect(formatRows(await read(reader, text, size))).toEqual(formatRows(await read(reader, text)));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("has the same rows if reading starts after any row", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...SIZES), async (text, size) => {
        const rows = await read(reader, text);
        for (const [at, { end }] of rows.entries()) {
          const after = await read(reader, text, size, { bytes: end, lines: 0 });
          expect(formatRows(after)).toEqual(formatRows(rows.slice(at + 1)));
        }
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});

describe("a row of CSV that cannot be read", () => {
  test("is one row even if its line comes in two chunks", async () => {
    const text = 'Bella,3\nMax "Maxi" Smith,3\nRex,4\n';
    const rows = [
      [1, ["Bella", "3"]],
      [2, 'Max "Maxi" Smith,3'],
      [3, ["Rex", "4"]],
    ];
    for (let size = 1; size <= text.length; size++)
      expect(cellsOf(await read(csv, text, size)) as unknown[]).toEqual(rows);
  });

  test.each(["\n", "\r\n", "\r"])("does not affect other rows if lines end in %j", async (end) => {
    const rows = await read(csv, ["Bella,1", 'Max "Maxi" Smith,3', "Rex,4", "Zoe,5", ""].join(end));
    expect(cellsOf(rows) as unknown[]).toEqual([
      [1, ["Bella", "1"]],
      [2, 'Max "Maxi" Smith,3'],
      [3, ["Rex", "4"]],
      [4, ["Zoe", "5"]],
    ]);
  });
});

test("lines of CSV may end in different ways", async () => {
  const rows = await read(csv, "Bella,1\r\nRex,2\nMax,3\n\rZoe,4\r\n\r\nLuna,5\rMia,6");
  expect(cellsOf(rows) as unknown[]).toEqual([
    [1, ["Bella", "1"]],
    [2, ["Rex", "2"]],
    [3, ["Max", "3"]],
    [5, ["Zoe", "4"]],
    [7, ["Luna", "5"]],
    [8, ["Mia", "6"]],
  ]);
});

const KIB = 1024;
const FIRST = "Bella,1\n";

describe("a row that is too long", () => {
  const LONG = "x".repeat(900 * KIB);
  const TOO_LONG = /^is longer than 512 KiB: only/;
  const NOT_CLOSED = /^a quote is opened and not closed within 512 KiB$/;

  /** Rows with their lines. Broken rows have the length of their excerpt and the reason. */
  const outline = (rows: Row[]) =>
    rows.map(({ line, content }) =>
      content instanceof UnreadableRow ? [line, content.text.length, content.reason] : [line, content],
    );

  test.each([
    ["a line of CSV", csv, `${FIRST}${LONG}\nRex,2\n`, TOO_LONG, 3],
    ["a line that ends in CR LF", csv, `${FIRST}${LONG}\r\nRex,2\r\n`, TOO_LONG, 3],
    ["a line that ends in CR", csv, `${FIRST}${LONG}\rRex,2\r`, TOO_LONG, 3],
    ["a line of separators", csv, `${FIRST}${",".repeat(900 * KIB)}\nRex,2\n`, TOO_LONG, 3],
    ["a line with a quote in it", csv, `${FIRST}a"${LONG}\nRex,2\n`, TOO_LONG, 3],
    ["a line that a quote begins", csv, `${FIRST}"${LONG}\nRex,2\n`, TOO_LONG, 3],
    ["a whole quoted cell", csv, `${FIRST}"${LONG}"\nRex,2\n`, TOO_LONG, 3],
    ["just too long", csv, `${FIRST}${"x".repeat(512 * KIB + 1)}\r\nRex,2\n`, TOO_LONG, 3],
    ["the last line", csv, `${FIRST}Rex,2\n${LONG}`, TOO_LONG, 2],
    ["a line of JSON", readNdjson as Reader, `{}\n{"name":"${LONG}"}\r\n{}\n`, TOO_LONG, 3],
    ["the last line of JSON", readNdjson as Reader, `{}\n{}\n${LONG}`, TOO_LONG, 2],
  ])("is rejected once, and the next is read: %s", async (_, reader, text, reason, lastLine) => {
    const rows = outline(await read(reader, text));
    expect(rows).toHaveLength(3);
    const at = lastLine === 3 ? 1 : 2;
    expect(rows[at]).toEqual([at + 1, 1000, expect.stringMatching(reason)]);
    expect(rows[lastLine - 1]?.[0]).toBe(lastLine);
    for (const size of [1 + 512 * KIB, 64 * KIB, 4000, FIRST.length + 900 * KIB + 1])
      expect(outline(await read(reader, text, size))).toEqual(rows);
  });

  test("is accepted at exactly the maximum", async () => {
    const text = `${FIRST}${"x".repeat(512 * KIB)}\r\nRex,2\n`;
    for (const size of [Infinity, 1000, FIRST.length + 512 * KIB + 1])
      expect((await read(csv, text, size)).map(({ content }) => content instanceof UnreadableRow)).toEqual([
        false,
        false,
        false,
      ]);
  });

  test("because of an open quote costs only the line of the quote", async () => {
    const text = `${FIRST}"open,2\n${"Rex,2\n".repeat(100_000)}`;
    for (const size of [Infinity, 64 * KIB]) {
      const rows = outline(await read(csv, text, size));
      expect(rows).toHaveLength(100_002);
      expect(rows[1]).toEqual([2, 7, expect.stringMatching(NOT_CLOSED)]);
      expect(rows[100_001]).toEqual([100_002, ["Rex", "2"]]);
    }
  });
});

describe("input that never ends", () => {
  async function* endless(text: string, most: number) {
    for (let made = 0; made < most; made += 65_536) yield Buffer.from(text.repeat(65_536));
    throw new Error(`was read to the end`);
  }
  // Four times the bytes that a reader may hold.
  const MOST = 2 ** 23;

  test.each([
    ["a line of separators", csv, ","],
    ["a line of broken CSV", csv, 'a"'],
    ["a line of no JSON", readNdjson as Reader, "{"],
    ["blank lines of CSV", csv, "\n"],
    ["blank lines of NDJSON", readNdjson as Reader, "\n"],
  ])("is not collected in memory: %s", async (_, reader, text) => {
    const reading = async () => {
      for await (const { bytes } of reader(endless(text, MOST), START))
        expect(bytes.length).toBeLessThan(2 ** 21);
    };
    expect(await outcomeOf(reading())).toThrow("was read to the end");
  });
});
