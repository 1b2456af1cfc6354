import { createReadStream } from "node:fs";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { BlobWriter, Stored } from "./blobs.ts";

export const CODINGS = ["br", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];
export type Encodings = Partial<Record<Coding, Stored>>;

/** Below this a file fits in the first packets of a connection as it is, and two more files cost more than they save. */
const SMALLEST = 4096;
/** Up to this size compressing takes less than handing it to a thread. */
const AT_ONCE = 32 * 1024;
/** A variant that saves less than an eighth is not worth its place. */
const WORTH = 7 / 8;

/** Quality 5 beats gzip, which 4 does not always do, and leaves a deploy fast. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const GZIP = { level: 6 };

/** Brotli runs in a thread beside the storing; gzip by libdeflate takes less than handing it over. */
const inMemory = {
  br: (bytes: Uint8Array): Promise<Uint8Array> => promisify(brotliCompress)(bytes, BROTLI),
  gzip: async (bytes: Uint8Array): Promise<Uint8Array> =>
    bytes.length <= AT_ONCE
      ? Bun.gzipSync(new Uint8Array(bytes), { level: 6, library: "libdeflate" })
      : promisify(gzip)(bytes, GZIP),
};

const inPieces = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
};

const variantOf = async (coding: Coding, source: Uint8Array | string, writer: BlobWriter, most: number) => {
  if (typeof source === "string")
    return writer.put(createReadStream(source).pipe(inPieces[coding]()) as AsyncIterable<Buffer>);
  const bytes = await inMemory[coding](source);
  return bytes.length <= most ? writer.put(bytes) : undefined;
};

/**
 * Stores what the file is in `br` and in `gzip`, where that is smaller. `source` is the content, or the path of a file
 * too large to be held in memory.
 */
export const storeVariants = async (
  source: Uint8Array | string,
  size: number,
  writer: BlobWriter,
): Promise<Encodings> => {
  const encodings: Encodings = {};
  const most = Math.floor(size * WORTH);
  if (size < SMALLEST) return encodings;
  const made = await Promise.all(CODINGS.map((coding) => variantOf(coding, source, writer, most)));
  for (const [at, coding] of CODINGS.entries()) {
    const stored = made[at];
    if (stored && stored.size <= most) encodings[coding] = stored;
  }
  return encodings;
};
