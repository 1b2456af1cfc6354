import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { FEED, type Place, RETURN, countLines, isLineEnd } from "./read.ts";

/** What tells files apart: so much of their beginning. */
export const HEAD = 64 * 1024;
const CHUNK = 256 * 1024;

/** A file or standard input as UTF-8. */
export interface Source {
  /** The first 64 KiB, or all if it is shorter. */
  head: Buffer;
  /** All of it from the beginning, once. */
  chunks: AsyncIterable<Buffer>;
  /** True once bytes came that are no UTF-8. */
  isBroken(): boolean;
}

const stream = (path: string | undefined): AsyncIterable<Buffer> =>
  path === undefined ? Readable.from(process.stdin) : createReadStream(path, { highWaterMark: CHUNK });

/** What Excel calls Unicode text, as UTF-8; all else as it is. */
async function* inUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && chunk[0] === 0xff && chunk[1] === 0xfe) decoder = new TextDecoder("utf-16le");
    isFirst = false;
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
}

/** Opens a file, or standard input without one, and reads its head. */
export const openSource = async (path: string | undefined): Promise<Source> => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let broken = false;
  const chunks = inUtf8(stream(path));
  const ahead: Buffer[] = [];
  for (let length = 0; length < HEAD;) {
    const { value, done } = await chunks.next();
    if (done) break;
    ahead.push(value);
    length += value.length;
  }
  const see = (chunk: Buffer) => {
    try {
      if (!broken) decoder.decode(chunk, { stream: true });
    } catch {
      broken = true;
    }
    return chunk;
  };
  return {
    head: Buffer.concat(ahead).subarray(0, HEAD),
    isBroken: () => broken,
    chunks: (async function* () {
      for (const chunk of ahead.splice(0)) yield see(chunk);
      for await (const chunk of chunks) yield see(chunk);
    })(),
  };
};

/** The SHA-256 of a file as far as it was read. */
export interface Fingerprint {
  add(bytes: Buffer): void;
  soFar(): string;
}

export const fingerprint = (): Fingerprint => {
  const hasher = new Bun.CryptoHasher("sha256");
  return {
    add: (bytes) => void hasher.update(bytes),
    soFar: () => hasher.copy().digest("hex"),
  };
};

export const hashOf = (bytes: Buffer): string => Bun.SHA256.hash(bytes, "hex");

/** What is left of chunks, and where that begins. */
export interface Skipped {
  place: Place;
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
    if (last === RETURN && value[0] === FEED) place.lines--;
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
