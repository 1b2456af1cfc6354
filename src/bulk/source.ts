import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { assertReadable } from "./file-kind.ts";
import { LF, type Position, CR, countLines, isLineEnd } from "./row.ts";

/** How much of its start identifies a file. */
export const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** A file or standard input as UTF-8. */
export interface Source {
  /** The first 64 KiB, or all if it is shorter. */
  head: Buffer;
  /** The whole file, once. */
  chunks: AsyncIterable<Buffer>;
  /** What the file is encoded in, for messages. */
  encoding: string;
  /** True once bytes that are invalid in this encoding were read. */
  isBroken(): boolean;
}

const stream = (path: string | undefined): AsyncIterable<Buffer> =>
  path === undefined ? Readable.from(process.stdin) : createReadStream(path, { highWaterMark: CHUNK_BYTES });

/** A name of an encoding that `TextDecoder` knows. */
export type Encoding = ConstructorParameters<typeof TextDecoder>[0];

/** True for the name of an encoding that files can have, such as windows-1252 (WHATWG Encoding Standard). */
export const isEncoding = (name: string): name is NonNullable<Encoding> => {
  try {
    return new TextDecoder(name as Encoding).encoding !== undefined;
  } catch {
    return false;
  }
};

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

/** Opens a file, or standard input if there is no path, and reads its head. @throws FileRefused if it is not text */
export const openSource = async (path: string | undefined, encoding?: Encoding): Promise<Source> => {
  const found: Findings = { encoding: "UTF-8", isText: true };
  const chunks = toUtf8(stream(path), encoding, found);
  const ahead: Buffer[] = [];
  for (let length = 0; length < HEAD_BYTES;) {
    const { value, done } = await chunks.next();
    if (done) break;
    ahead.push(value);
    length += value.length;
  }
  const head = Buffer.concat(ahead).subarray(0, HEAD_BYTES);
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

/** The rest of a file. */
interface SkipResult {
  /** Where the rest starts. */
  position: Position;
  rest: AsyncIterable<Buffer>;
  /** True if the rest starts inside a line. */
  isInside: boolean;
}

/** Skips the first `bytes` bytes. */
export const skip = async (
  chunks: AsyncIterable<Buffer>,
  bytes: number,
  skipped: Fingerprint,
): Promise<SkipResult> => {
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
