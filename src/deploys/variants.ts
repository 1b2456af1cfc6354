import { createReadStream } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { CODINGS, type ContentCoding } from "../lib/accept.ts";
import { brotliParameters } from "./brotli.ts";
import type { Compressors } from "./compressors.ts";
import type { BlobWriter, Stored } from "./blob-writer.ts";

/** A part of a blob: the codings of one file share theirs, for a file on the disk costs more than its bytes. */
export interface Encoded extends Stored {
  /** Bytes of the blob before it. */
  at: number;
}

export type Encodings = Partial<Record<ContentCoding, Encoded>>;

/** Below this a file fits in the first packets of a connection as it is, and a file more costs more than it saves. */
const SMALLEST = 4096;
/** Up to this size a worker compresses a file faster than zlib's own threads, which take 0.2 ms to be told. */
const SMALL = 32 * 1024;
/** A variant that saves less than an eighth is not worth its place. */
const WORTH = 7 / 8;
/** Of libdeflate: pages are as small as with 6, in two thirds of the time. */
const GZIP_LEVEL = 5;

const GZIP = { level: GZIP_LEVEL };
const brotliOf = (size: number) => ({ params: brotliParameters(size) });

/** Where each coding lies in their common blob. */
const parts = (hash: string, sizes: Record<ContentCoding, number>): Encodings => ({
  ...(sizes.br > 0 && { br: { hash, size: sizes.br, at: 0 } }),
  ...(sizes.gzip > 0 && { gzip: { hash, size: sizes.gzip, at: sizes.br } }),
});

const inThreads = async (bytes: Uint8Array, most: number, writer: BlobWriter): Promise<Encodings> => {
  const made = await Promise.all([
    promisify(brotliCompress)(bytes, brotliOf(bytes.length)),
    promisify(gzip)(bytes, GZIP),
  ]);
  const [br, gzipped] = made.map((one) => (one.length <= most ? one : Buffer.alloc(0))) as [Buffer, Buffer];
  if (br.length + gzipped.length === 0) return {};
  const { hash } = await writer.put(Buffer.concat([br, gzipped]));
  return parts(hash, { br: br.length, gzip: gzipped.length });
};

const inWorker = async (
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
  writer: BlobWriter,
  { compress }: Compressors,
): Promise<Encodings> => {
  const brotli = brotliParameters(bytes.length);
  let sizes = { br: 0, gzip: 0 };
  const stored = await writer.adopt(async (file) => {
    const made = await compress({ bytes, brotli, level: GZIP_LEVEL, most, file });
    sizes = made;
    return made.br + made.gzip > 0 ? made.hash : undefined;
  }, CODINGS.length * most);
  return stored === undefined ? {} : parts(stored, sizes);
};

/** A coding has become so large that it is not worth its place. */
class NotWorthIt extends Error {}

async function* upTo(most: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > most) throw new NotWorthIt();
    yield chunk;
  }
}

/** The codings of a file that is too large to be held in memory, each in a blob of its own. */
const ofFile = async (path: string, size: number, most: number, writer: BlobWriter): Promise<Encodings> => {
  const transforms = { br: createBrotliCompress(brotliOf(size)), gzip: createGzip(GZIP) };
  const put = async (coding: ContentCoding): Promise<Encodings> => {
    try {
      const made = createReadStream(path).pipe(transforms[coding]) as AsyncIterable<Buffer>;
      return { [coding]: { ...(await writer.put(upTo(most, made))), at: 0 } };
    } catch (error) {
      if (error instanceof NotWorthIt) return {};
      throw error;
    }
  };
  return Object.assign(...((await Promise.all(CODINGS.map(put))) as [Encodings, Encodings]));
};

/**
 * Stores what the file is in `br` and in `gzip`, where that is smaller. `source` is the content, which may be taken over,
 * or the path of a file too large to be held in memory.
 */
export const storeVariants = async (
  source: Uint8Array<ArrayBuffer> | string,
  size: number,
  writer: BlobWriter,
  workers: Compressors,
): Promise<Encodings> => {
  if (size < SMALLEST) return {};
  const most = Math.floor(size * WORTH);
  if (typeof source === "string") return ofFile(source, size, most, writer);
  return size <= SMALL && workers.isWorthwhile()
    ? inWorker(source, most, writer, workers)
    : inThreads(source, most, writer);
};
