import { availableParallelism } from "node:os";
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

/** The bytes of each coding, 0 if it was not written. Without any there is no file. */
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
