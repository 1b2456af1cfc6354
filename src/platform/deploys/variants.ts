import { createReadStream } from "node:fs";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { CODINGS, type ContentCoding } from "../../lib/accept.ts";
import type { BlobWriter, Stored } from "./blob-writer.ts";
// eslint-disable-next-line import/default -- it is imported as text
import program from "./compressor.worker.js" with { type: "text" };

/** A file to compress. The bytes are transferred to the worker, which leaves this array empty. */
interface CompressionJob {
  bytes: Uint8Array<ArrayBuffer>;
  /** zlib's parameters. */
  brotli: Record<number, number>;
  /** The level of gzip. */
  level: number;
  /** A coding with more bytes is not worth storing. */
  maxBytes: number;
  /** Where both codings are written, br first. The file must not exist. */
  file: string;
}

/** The bytes of each coding, 0 if it was not written. Without any, the file does not exist. */
interface CompressedPair {
  br: number;
  gzip: number;
  /** SHA-256 of both together. */
  hash: string;
}

/** An error as a worker sends it. A system's error keeps its code. */
interface WorkerError {
  message: string;
  code?: string;
  syscall?: string;
}

type WorkerMessage =
  { id: number; result: CompressedPair; error?: undefined } | { id: number; error: WorkerError };

const errorOf = ({ message, code, syscall }: WorkerError): Error =>
  Object.assign(new Error(message), { ...(code && { code }), ...(syscall && { syscall }) });

const startWorker = (url: string) => {
  const worker = new Worker(url);
  const pending = new Map<number, PromiseWithResolvers<CompressedPair>>();
  let nextId = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
    const job = pending.get(data.id);
    pending.delete(data.id);
    if (data.error) job?.reject(errorOf(data.error));
    else job?.resolve(data.result);
  });
  worker.addEventListener("error", ({ message }) => {
    for (const { reject } of pending.values()) reject(new Error(`a compressing worker failed: ${message}`));
    pending.clear();
  });
  return {
    compress(job: CompressionJob): Promise<CompressedPair> {
      const id = nextId++;
      const result = Promise.withResolvers<CompressedPair>();
      pending.set(id, result);
      worker.postMessage({ id, ...job }, [job.bytes.buffer]);
      return result.promise;
    },
    stop: () => worker.terminate(),
  };
};

/** Compression takes half of a deploy's time, so two workers keep up with the main thread, even on two cores. */
const MAX_WORKERS = 4;
/** Files compressed without a worker: one takes 20 MB, and 100 ms to start. The manual has half as many. */
const FILES_BEFORE_WORKERS = 256;

/** Worker threads for the small files of a deploy that has many. They start with the first job. */
export const compressors = (count = Math.min(MAX_WORKERS, availableParallelism())) => {
  const workers: ReturnType<typeof startWorker>[] = [];
  let url = "";
  let files = 0;

  const start = () => {
    url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    for (let at = 0; at < count; at++) workers.push(startWorker(url));
  };

  return {
    /** Counts a file to compress. @returns true if there are so many that workers are worth their start */
    isWorthwhile: (): boolean => ++files > FILES_BEFORE_WORKERS,
    /** @throws the system's error if the file cannot be written */
    async compress(job: CompressionJob): Promise<CompressedPair> {
      if (workers.length === 0) start();
      const worker = workers[files % workers.length];
      if (!worker) throw new Error("there is no worker");
      return worker.compress(job);
    },
    stop(): void {
      for (const worker of workers) worker.stop();
      URL.revokeObjectURL(url);
    },
  };
};

export type Compressors = ReturnType<typeof compressors>;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_MIN_WINDOW_BITS, BROTLI_DEFAULT_WINDOW } = constants;

/** A part of a blob: the codings of a file share one, because a file on the disk costs more than its bytes. */
export interface Encoded extends Stored {
  /** Its start in the blob. */
  at: number;
}

export type Encodings = Partial<Record<ContentCoding, Encoded>>;

/** A smaller file fits in the first packets of a connection as it is. */
const MIN_BYTES = 4096;
/** Up to this size a worker is faster than zlib's own threads, which take 0.2 ms to start. */
const MAX_BYTES_FOR_WORKER = 32 * 1024;
/** A variant that saves less than an eighth is not worth its space. */
const MAX_RATIO = 7 / 8;
/** A level of libdeflate: pages are as small as with 6, in two thirds of the time. */
const GZIP_LEVEL = 5;
/** Always smaller than gzip, unlike 4, and still fast. */
const BROTLI_QUALITY = 5;

const GZIP_OPTIONS = { level: GZIP_LEVEL };

/**
 * Brotli's parameters for so many bytes, with the smallest window that holds them (RFC 7932 section 9.1). The result is as
 * small as with the window of 4 MB, and a page of 5 KB takes half the time: most of it goes into preparing the window.
 */
export const brotliParameters = (size: number): Record<number, number> => {
  const bits = Math.ceil(Math.log2(size + 16));
  return {
    [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [BROTLI_PARAM_LGWIN]: Math.min(Math.max(bits, BROTLI_MIN_WINDOW_BITS), BROTLI_DEFAULT_WINDOW),
  };
};

/** The position of each coding in the shared blob. */
const encodingsIn = (hash: string, sizes: Record<ContentCoding, number>): Encodings => ({
  ...(sizes.br > 0 && { br: { hash, size: sizes.br, at: 0 } }),
  ...(sizes.gzip > 0 && { gzip: { hash, size: sizes.gzip, at: sizes.br } }),
});

/** Compresses in zlib's own threads. */
const compressInThreads = async (
  bytes: Uint8Array,
  maxBytes: number,
  writer: BlobWriter,
): Promise<Encodings> => {
  const codings = await Promise.all([
    promisify(brotliCompress)(bytes, { params: brotliParameters(bytes.length) }),
    promisify(gzip)(bytes, GZIP_OPTIONS),
  ]);
  const [br, gzipped] = codings.map((one) => (one.length <= maxBytes ? one : Buffer.alloc(0))) as [
    Buffer,
    Buffer,
  ];
  if (br.length + gzipped.length === 0) return {};
  const { hash } = await writer.put(Buffer.concat([br, gzipped]));
  return encodingsIn(hash, { br: br.length, gzip: gzipped.length });
};

const compressInWorker = async (
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
  writer: BlobWriter,
  { compress }: Compressors,
): Promise<Encodings> => {
  const brotli = brotliParameters(bytes.length);
  let sizes = { br: 0, gzip: 0 };
  const hash = await writer.adopt(async (file) => {
    const pair = await compress({ bytes, brotli, level: GZIP_LEVEL, maxBytes, file });
    sizes = pair;
    return pair.br + pair.gzip > 0 ? pair.hash : undefined;
  }, CODINGS.length * maxBytes);
  return hash === undefined ? {} : encodingsIn(hash, sizes);
};

/** The compressed file is too large to be worth storing. */
class TooLarge extends Error {}

async function* assertAtMost(
  maxBytes: number,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge();
    yield chunk;
  }
}

/** Streams a file that is too large for memory. Each coding gets a separate blob. */
const compressFile = async (
  path: string,
  size: number,
  maxBytes: number,
  writer: BlobWriter,
): Promise<Encodings> => {
  const transforms = {
    br: createBrotliCompress({ params: brotliParameters(size) }),
    gzip: createGzip(GZIP_OPTIONS),
  };
  const put = async (coding: ContentCoding): Promise<Encodings> => {
    try {
      const encoded = createReadStream(path).pipe(transforms[coding]) as AsyncIterable<Buffer>;
      return { [coding]: { ...(await writer.put(assertAtMost(maxBytes, encoded))), at: 0 } };
    } catch (error) {
      if (error instanceof TooLarge) return {};
      throw error;
    }
  };
  return Object.assign(...((await Promise.all(CODINGS.map(put))) as [Encodings, Encodings]));
};

/**
 * Stores a file in `br` and in `gzip`, each only if it is small enough.
 * @param source the content, which may be transferred to a worker, or the path of a file too large for memory
 */
export const storeVariants = async (
  source: Uint8Array<ArrayBuffer> | string,
  size: number,
  writer: BlobWriter,
  workers: Compressors,
): Promise<Encodings> => {
  if (size < MIN_BYTES) return {};
  const maxBytes = Math.floor(size * MAX_RATIO);
  if (typeof source === "string") return compressFile(source, size, maxBytes, writer);
  return size <= MAX_BYTES_FOR_WORKER && workers.isWorthwhile()
    ? compressInWorker(source, maxBytes, writer, workers)
    : compressInThreads(source, maxBytes, writer);
};
