import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { FileRefused } from "./columns.ts";
import { LF, type Position, CR, countLines, isLineEnd } from "./row.ts";

/** What tells files apart: so much of their beginning. */
export const HEAD_BYTES = 64 * 1024;
const CHUNK = 256 * 1024;

/** A file or standard input as UTF-8. */
export interface Source {
  /** The first 64 KiB, or all if it is shorter. */
  head: Buffer;
  /** All of it from the beginning, once. */
  chunks: AsyncIterable<Buffer>;
  /** What it is in, and true once bytes came that are none of that. */
  encoding: "UTF-8" | "UTF-16";
  isBroken(): boolean;
}

const stream = (path: string | undefined): AsyncIterable<Buffer> =>
  path === undefined ? Readable.from(process.stdin) : createReadStream(path, { highWaterMark: CHUNK });

/** Tells of bytes as they come, and at last of none, whether all so far is text. */
const utf8Checker = (encoding: "utf-8" | "utf-16le") => {
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

/** What is found out of a file while it is read. */
interface Findings {
  encoding: Source["encoding"];
  isText: boolean;
}

/** What Excel calls Unicode text, as UTF-8; all else as it is. */
async function* inUtf8(chunks: AsyncIterable<Buffer>, found: Findings): AsyncGenerator<Buffer> {
  let isText = utf8Checker("utf-8");
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && chunk[0] === 0xff && chunk[1] === 0xfe) {
      decoder = new TextDecoder("utf-16le");
      isText = utf8Checker("utf-16le");
      found.encoding = "UTF-16";
    }
    isFirst = false;
    found.isText = isText(chunk);
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  found.isText = isText();
  if (decoder) yield Buffer.from(decoder.decode());
}

/** @throws FileRefused if a file begins like one in an encoding that is not read: half of each letter is a zero */
const assertEncoding = ([first, second]: Buffer): void => {
  if (first === 0 || second === 0 || (first === 0xfe && second === 0xff))
    throw new FileRefused(
      "it is in an encoding that is not read; UTF-8 is, and little-endian UTF-16 with a mark at its beginning (Excel's Unicode text): save it as UTF-8",
    );
};

/** Opens a file, or standard input without one, and reads its head. @throws FileRefused if it is no text */
export const openSource = async (path: string | undefined): Promise<Source> => {
  const found: Findings = { encoding: "UTF-8", isText: true };
  const chunks = inUtf8(stream(path), found);
  const ahead: Buffer[] = [];
  for (let length = 0; length < HEAD_BYTES;) {
    const { value, done } = await chunks.next();
    if (done) break;
    ahead.push(value);
    length += value.length;
  }
  const head = Buffer.concat(ahead).subarray(0, HEAD_BYTES);
  assertEncoding(head);
  return {
    head,
    encoding: found.encoding,
    isBroken: () => !found.isText,
    chunks: (async function* () {
      for (const chunk of ahead.splice(0)) yield chunk;
      yield* chunks;
    })(),
  };
};

/** The SHA-256 of a file as far as it was read. */
export interface Fingerprint {
  add(bytes: Buffer): void;
  digest(): string;
}

export const fingerprint = (): Fingerprint => {
  const hasher = new Bun.CryptoHasher("sha256");
  return {
    add: (bytes) => void hasher.update(bytes),
    digest: () => hasher.copy().digest("hex"),
  };
};

export const hashOf = (bytes: Buffer): string => Bun.SHA256.hash(bytes, "hex");

/** What is left of chunks, and where that begins. */
export interface Skipped {
  place: Position;
  rest: AsyncIterable<Buffer>;
  /** True if that is inside a line. */
  isInside: boolean;
}

/** Takes so many bytes off the beginning. */
export const skip = async (
  chunks: AsyncIterable<Buffer>,
  bytes: number,
  print: Fingerprint,
): Promise<Skipped> => {
  const iterator = chunks[Symbol.asyncIterator]();
  const place = { bytes: 0, lines: 0 };
  let last: number | undefined;
  let left: Buffer = Buffer.alloc(0);
  // One chunk more if need be: what comes next tells whether a line ended there.
  while (left.length === 0) {
    const { value, done } = await iterator.next();
    if (done) break;
    // One line end in two chunks.
    if (last === CR && value[0] === LF) place.lines--;
    const taken = value.subarray(0, bytes - place.bytes);
    print.add(taken);
    place.bytes += taken.length;
    place.lines += countLines(value, 0, taken.length);
    last = taken.at(-1) ?? last;
    left = value.subarray(taken.length);
  }
  const isInside = last !== undefined && left.length > 0 && !isLineEnd(last) && !isLineEnd(left[0]);
  const rest = (async function* () {
    if (left.length > 0) yield left;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
  return { place, rest, isInside };
};
