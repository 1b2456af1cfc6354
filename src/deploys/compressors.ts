import { availableParallelism } from "node:os";
// eslint-disable-next-line import/default -- it is imported as text
import program from "./compressor.worker.js" with { type: "text" };

/** A file to be compressed; the bytes are handed over, and are empty here from then on. */
export interface CompressionJob {
  bytes: Uint8Array<ArrayBuffer>;
  /** Parameters of zlib's. */
  brotli: Record<number, number>;
  /** Of gzip. */
  level: number;
  /** Bytes that a coding may have to be worth storing. */
  most: number;
  /** Where both codings go, br first; it must not be there. */
  file: string;
}

/** What was written: bytes of each coding, 0 for one that is not; without any there is no file. */
export interface CompressedPair {
  br: number;
  gzip: number;
  /** SHA-256 of both together. */
  hash: string;
}

/** A system's error has these, as it had in the worker. */
interface Failure {
  message: string;
  code?: string;
  syscall?: string;
}

type Answer = { id: number; made: CompressedPair; failed?: undefined } | { id: number; failed: Failure };

const errorOf = ({ message, code, syscall }: Failure): Error =>
  Object.assign(new Error(message), { ...(code && { code }), ...(syscall && { syscall }) });

const startWorker = (url: string) => {
  const worker = new Worker(url);
  const waiting = new Map<number, PromiseWithResolvers<CompressedPair>>();
  let asked = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.failed) asker?.reject(errorOf(data.failed));
    else asker?.resolve(data.made);
  });
  worker.addEventListener("error", ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(`a compressing worker failed: ${message}`));
    waiting.clear();
  });
  return {
    compress(job: CompressionJob): Promise<CompressedPair> {
      const id = asked++;
      const asker = Promise.withResolvers<CompressedPair>();
      waiting.set(id, asker);
      worker.postMessage({ id, ...job }, [job.bytes.buffer]);
      return asker.promise;
    },
    stop: () => worker.terminate(),
  };
};

/** Compressing takes half of a deploy's time, so that even on two cores two of them keep up best with the main thread. */
const MAX_WORKERS = 4;
/** Files that are compressed without a worker: one takes 20 MB, and 100 ms to start. */
const FEW = 64;

export interface Compressors {
  /** Counts a file that is to be compressed; true if there were so many that workers are worth their start. */
  isWorthwhile(): boolean;
  /** @throws the system's error if the file cannot be written */
  compress(job: CompressionJob): Promise<CompressedPair>;
  stop(): void;
}

/** Workers for the small files of a deploy that has many; there are none before the first is needed. */
export const compressors = (count = Math.min(MAX_WORKERS, availableParallelism())): Compressors => {
  const workers: ReturnType<typeof startWorker>[] = [];
  let url = "";
  let files = 0;

  const start = () => {
    url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    for (let at = 0; at < count; at++) workers.push(startWorker(url));
  };

  return {
    isWorthwhile: () => ++files > FEW,
    async compress(job) {
      if (workers.length === 0) start();
      const worker = workers[files % workers.length];
      if (!worker) throw new Error("there is no worker");
      return worker.compress(job);
    },
    stop() {
      for (const worker of workers) worker.stop();
      URL.revokeObjectURL(url);
    },
  };
};
