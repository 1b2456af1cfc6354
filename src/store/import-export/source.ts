import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { quoted } from "../../lib/text.ts";
import { FileRefused } from "./columns.ts";
import { LF, CR, countLines, isLineEnd } from "./row.ts";
import { attempt } from "../../lib/attempt.ts";

/** The first bytes of a ZIP archive, as .xlsx, .ods and .numbers are, and of an OLE file, as .xls is. */
const WORKBOOKS = [Buffer.from("PK\u0003\u0004", "latin1"), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

/** True for the name of a spreadsheet's own file. */
export const isWorkbook = (path: string): boolean => /\.(xlsx|xlsm|xlsb|xls|ods|numbers)$/i.test(path);

/** What to do with a spreadsheet's own file. */
export const WORKBOOK_ADVICE =
  "it is a spreadsheet's own file, not CSV: open it in the spreadsheet program, choose Save As (or Download), the format CSV UTF-8, and import that file";

/** The most frequent such encoding: the CSV of Excel in Western Europe and America. */
const LIKELY = "windows-1252";

const BEYOND_ASCII = /[^\p{ASCII}\uFFFD]/u;
/** U+FFFD in the file itself. */
const WRITTEN_REPLACEMENT = Buffer.from("\uFFFD");

/** The text of bytes, where U+FFFD stands for invalid UTF-8. The last character may be cut off. */
const asUtf8 = (bytes: Buffer): string => new TextDecoder("utf-8").decode(bytes, { stream: true });

/** The word with the first letter beyond ASCII, read in the likely encoding. */
const likelyWord = (bytes: Buffer): string =>
  /[^\s,;|"]*\P{ASCII}[^\s,;|"]*/u.exec(new TextDecoder(LIKELY).decode(bytes))?.[0] ?? "";

/** True if the bytes have letters beyond ASCII, but not one in UTF-8. One broken letter among others costs only its row. */
const isOtherEncoding = (bytes: Buffer): boolean => {
  const text = asUtf8(bytes);
  return text.includes("\uFFFD") && !bytes.includes(WRITTEN_REPLACEMENT) && !BEYOND_ASCII.test(text);
};

const assertUtf8 = (start: Buffer): void => {
  const [first, second] = start;
  if (first === 0 || second === 0 || (first === 0xfe && second === 0xff))
    throw new FileRefused(
      "its encoding is not UTF-8: save it as UTF-8 (spreadsheets call it CSV UTF-8), or name its encoding, such as --encoding utf-16be",
    );
  if (isOtherEncoding(start))
    throw new FileRefused(
      `it is not UTF-8: add --encoding ${LIKELY}, which Excel's plain CSV has (the first such word then reads ${quoted(likelyWord(start))}), or save it as CSV UTF-8`,
    );
};

/**
 * Checks the start of a file.
 * @param named the encoding that the user names; undefined: UTF-8, or UTF-16 with a byte order mark
 * @throws FileRefused if it is a workbook, or in another encoding
 */
const assertReadable = (start: Buffer, named: string | undefined): void => {
  if (WORKBOOKS.some((magic) => start.subarray(0, magic.length).equals(magic)))
    throw new FileRefused(WORKBOOK_ADVICE);
  if (start[0] === 0xff && start[1] === 0xfe) return;
  if (named === undefined) return assertUtf8(start);
  const text = asUtf8(start);
  if (!/^utf-?8$/i.test(named) && BEYOND_ASCII.test(text) && !text.includes("\uFFFD"))
    throw new FileRefused(`it is UTF-8, not ${named}: leave out --encoding`);
};

/** How much of its start identifies a file. */
export const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

const stream = (path: string | undefined, highWaterMark: number): AsyncIterable<Buffer> =>
  path === undefined ? Readable.from(process.stdin) : createReadStream(path, { highWaterMark });

/** A name of an encoding that `TextDecoder` knows. */
export type Encoding = ConstructorParameters<typeof TextDecoder>[0];

/** True for the name of an encoding that files can have, such as windows-1252 (WHATWG Encoding Standard). */
export const isEncoding = (name: string): name is NonNullable<Encoding> =>
  attempt(() => new TextDecoder(name as Encoding)) !== undefined;

/** Checks chunks as they arrive; call it without a chunk at the end. True while all of them are text. */
const textChecker = (encoding: Encoding) => {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let isText = true;
  return (chunk?: Buffer): boolean => {
    try {
      if (isText) decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      isText = false;
    }
    return isText;
  };
};

/** Facts that reading a file reveals. */
interface Findings {
  encoding: string;
  isText: boolean;
}

const isUtf8 = (encoding: Encoding): boolean => new TextDecoder(encoding).encoding === "utf-8";

/**
 * Converts a file to UTF-8: from UTF-16 with a byte order mark, which is Excel's Unicode text, or from the encoding that the
 * user names. Everything else stays as it is.
 */
async function* toUtf8(
  chunks: AsyncIterable<Buffer>,
  named: Encoding,
  found: Findings,
): AsyncGenerator<Buffer> {
  let isText = textChecker("utf-8");
  let decoder: TextDecoder | undefined;
  const decodeFrom = (encoding: Encoding, title: string) => {
    decoder = new TextDecoder(encoding);
    isText = textChecker(encoding);
    found.encoding = title;
  };
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) {
      assertReadable(chunk, named);
      if (chunk[0] === 0xff && chunk[1] === 0xfe) decodeFrom("utf-16le", "UTF-16");
      else if (named !== undefined && !isUtf8(named)) decodeFrom(named, named);
    }
    isFirst = false;
    found.isText = isText(chunk);
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  found.isText = isText();
  if (decoder) yield Buffer.from(decoder.decode());
}

/** Opens a file, or standard input without a path, and reads its head. @throws FileRefused if it is not text */
export const openSource = async (path: string | undefined, encoding?: Encoding, chunkBytes = CHUNK_BYTES) => {
  const found: Findings = { encoding: "UTF-8", isText: true };
  const chunks = toUtf8(stream(path, chunkBytes), encoding, found);
  const ahead: Buffer[] = [];
  for (let length = 0; length < HEAD_BYTES;) {
    const { value, done } = await chunks.next();
    if (done) break;
    ahead.push(value);
    length += value.length;
  }
  const head = Buffer.concat(ahead).subarray(0, HEAD_BYTES);
  return {
    /** The first 64 KiB, or all if it is shorter. */
    head,
    /** The file's encoding, for messages. */
    encoding: found.encoding,
    /** True once bytes that are invalid in this encoding were read. */
    isBroken: () => !found.isText,
    /** The whole file, once. */
    chunks: (async function* () {
      for (const chunk of ahead.splice(0)) yield chunk;
      yield* chunks;
    })(),
  };
};

/** A file or standard input as UTF-8. */
export type Source = Awaited<ReturnType<typeof openSource>>;

/** The SHA-256 of the part of a file that has been read so far. */
export const fingerprint = () => {
  const hasher = new Bun.CryptoHasher("sha256");
  return {
    add: (bytes: Buffer): void => void hasher.update(bytes),
    digest: (): string => hasher.copy().digest("hex"),
  };
};

export type Fingerprint = ReturnType<typeof fingerprint>;

export const sha256 = (bytes: Buffer): string => Bun.SHA256.hash(bytes, "hex");

/** Skips the first `bytes` bytes. @returns the rest and its position; `isInside` is true if that is inside a line */
export const skip = async (chunks: AsyncIterable<Buffer>, bytes: number, skipped: Fingerprint) => {
  const iterator = chunks[Symbol.asyncIterator]();
  const position = { bytes: 0, lines: 0 };
  let last: number | undefined;
  let left: Buffer = Buffer.alloc(0);
  // Reads one chunk more if necessary: the next byte shows whether a line ended there.
  while (left.length === 0) {
    const { value, done } = await iterator.next();
    if (done) break;
    // A line end that is split between two chunks counts once.
    if (last === CR && value[0] === LF) position.lines--;
    const passed = value.subarray(0, bytes - position.bytes);
    skipped.add(passed);
    position.bytes += passed.length;
    position.lines += countLines(value, 0, passed.length);
    last = passed.at(-1) ?? last;
    left = value.subarray(passed.length);
  }
  const isInside = last !== undefined && left.length > 0 && !isLineEnd(last) && !isLineEnd(left[0]);
  const rest = (async function* () {
    if (left.length > 0) yield left;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
  return { position, rest, isInside };
};
