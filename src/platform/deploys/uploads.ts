import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { FileUpload } from "../../http/body.ts";
import type { Actor } from "../../lib/actor.ts";
import { Fault } from "../../lib/errors.ts";
import { limiter } from "../../lib/limiter.ts";
import { makeOwnedDirectories } from "../../lib/ownership.ts";
import { type DiskSpace, InsufficientSpace, UNLIMITED_SPACE } from "./disk-space.ts";

export interface AdmissionLimits {
  /** Concurrent uploads of one caller. */
  perCaller: number;
  /** Concurrent uploads of all callers. Each takes disk space while it arrives. */
  total: number;
  /** Archives that are unpacked concurrently. */
  unpacking: number;
}

export const ADMISSION: AdmissionLimits = { perCaller: 4, total: 64, unpacking: 4 };

const RETRY_SECONDS = 10;

const tooMany = (message: string) =>
  new Fault("rate_limited", `${message}; try again in ${RETRY_SECONDS} s.`, {
    "retry-after": String(RETRY_SECONDS),
    connection: "close",
  });

/** Decides which uploads may begin. An upload is unpacked only once it has arrived, so that slow ones delay no other. */
export const admission = ({ perCaller, total, unpacking }: AdmissionLimits): Admission => {
  const uploading = new Map<string, number>();
  let uploads = 0;

  return {
    isIdle: () => uploads === 0,
    /** @throws Fault rate_limited */
    admit(caller) {
      const own = uploading.get(caller) ?? 0;
      if (own >= perCaller)
        throw tooMany(`This key is sending ${own} files, and may send ${perCaller} at once`);
      if (uploads >= total) throw tooMany("Too many files are being sent");
      uploading.set(caller, own + 1);
      uploads++;
      return () => {
        uploads--;
        const left = (uploading.get(caller) ?? 1) - 1;
        if (left > 0) uploading.set(caller, left);
        else uploading.delete(caller);
      };
    },
    /** Runs `work` once fewer than `unpacking` others run, in the order of the calls. */
    unpack: limiter(unpacking),
  };
};

export interface Admission {
  /** True if no upload is in progress. */
  isIdle(): boolean;
  /**
   * Lets an upload of this caller begin.
   * @param bytes its announced length, or the limit
   * @returns a function to call when it has ended
   * @throws Fault
   */
  admit(caller: string, bytes: number): () => void;
  /** Runs `work` when its turn comes. */
  unpack<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The body is larger than its limit. */
export class UploadTooLarge extends Error {
  override name = "UploadTooLarge";
}

/** The client disconnected before the end of its body. */
export class UploadCutOff extends Error {
  override name = "UploadCutOff";
}

/** The client sent nothing for too long, or sent too slowly. */
class UploadTooSlow extends UploadCutOff {
  override name = "UploadTooSlow";
}

/** How slow an upload may be. */
export interface UploadPace {
  /** Milliseconds that may pass without a byte. */
  stallMs: number;
  /** Milliseconds before `bytesPerSecond` applies. */
  graceMs: number;
  /** The minimum average rate. Time that the server takes to write does not count. */
  bytesPerSecond: number;
}

/** A quarter of a megabit a second: 100 MiB may take an hour. */
export const UPLOAD_PACE: UploadPace = { stallMs: 30_000, graceMs: 30_000, bytesPerSecond: 32 * 1024 };

interface UploadLimits extends UploadPace {
  /** Bytes of one body. */
  bytes: number;
}

/** Reads the chunks of a body. @throws UploadCutOff, which sets a lost client apart from a failing disk */
async function* readChunks(
  body: ReadableStream<Uint8Array>,
  { stallMs, graceMs, bytesPerSecond }: UploadLimits,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  let waitedMs = 0;
  const next = async () => {
    const startedAt = performance.now();
    const leftMs = Math.max(0, graceMs + (1000 * size) / bytesPerSecond - waitedMs);
    const { promise: timeout, resolve } = Promise.withResolvers<string>();
    const reason =
      leftMs < stallMs
        ? `it was slower than ${bytesPerSecond} bytes a second, try again over a faster connection`
        : "the upload stalled";
    const timer = setTimeout(() => resolve(reason), Math.min(leftMs, stallMs));
    try {
      return await Promise.race([reader.read(), timeout]);
    } finally {
      clearTimeout(timer);
      waitedMs += performance.now() - startedAt;
    }
  };
  try {
    for (;;) {
      const read = await next().catch((cause: unknown) => {
        throw new UploadCutOff("the upload broke off", { cause });
      });
      if (typeof read === "string") throw new UploadTooSlow(read);
      if (read.done) return;
      size += read.value.length;
      yield read.value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

const write = async (
  file: string,
  body: ReadableStream<Uint8Array> | null,
  limits: UploadLimits,
  diskSpace: DiskSpace,
) => {
  const handle = await open(file, "wx", 0o600);
  try {
    let size = 0;
    for await (const chunk of body ? readChunks(body, limits) : []) {
      size += chunk.length;
      if (size > limits.bytes) throw new UploadTooLarge(`larger than ${limits.bytes} bytes`);
      diskSpace.assertFree(chunk.length);
      // Not `write`, which may write only a part of the chunk.
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
};

/** Archives on disk while they are unpacked, in a directory that one process owns. The first upload creates the directory. */
export const openUploads = (
  directory: string,
  limits: UploadLimits,
  diskSpace: DiskSpace = UNLIMITED_SPACE,
) => ({
  /** Removes files that a crash left. */
  clear(): void {
    rmSync(directory, { recursive: true, force: true });
  },
  /**
   * Writes a body to a separate file, and removes the file when `use` has ended.
   * @throws UploadTooLarge, UploadCutOff, InsufficientSpace, or a system's error
   */
  async receive<Result>(
    body: ReadableStream<Uint8Array> | null,
    use: (file: string) => Promise<Result>,
  ): Promise<Result> {
    makeOwnedDirectories(directory);
    const file = join(directory, crypto.randomUUID());
    try {
      await write(file, body, limits, diskSpace);
      return await use(file);
    } finally {
      rmSync(file, { force: true });
    }
  },
});

type Uploads = ReturnType<typeof openUploads>;

/** A `.tar.gz` or `.zip` that a client sends. */
export interface Upload extends FileUpload {
  /** Who sends it. */
  actor: Actor;
}

/** The words of messages. */
interface UploadWords {
  /** What is uploaded. */
  name: string;
  /** The origin of the limit, after its bytes. */
  limit: string;
  /** What did not happen without disk space. */
  unstored: string;
}

const ARCHIVE_WORDS: UploadWords = {
  name: "archive",
  limit: ", the DEPLOY_LIMIT of this server",
  unstored: "this deploy. Nothing of it was stored, and the previous site is still served",
};

const tooLarge = (limit: number, words: UploadWords) =>
  new Fault("payload_too_large", `The ${words.name} is larger than ${limit} bytes${words.limit}.`, {
    connection: "close",
  });

const insufficientSpace = ({ unstored }: UploadWords) =>
  new Fault(
    "storage_unavailable",
    `The server has too little disk space for ${unstored}. Try again once there is space.`,
    { "retry-after": "60", connection: "close" },
  );

/** The fault for an error of an upload. */
const faultOf = (error: unknown, limit: number, words: UploadWords): unknown => {
  if (error instanceof UploadTooLarge) return tooLarge(limit, words);
  if (error instanceof InsufficientSpace) return insufficientSpace(words);
  if (error instanceof UploadCutOff) {
    const code = error instanceof UploadTooSlow ? "request_timeout" : "invalid_request";
    return new Fault(code, `The ${words.name} is not complete: ${error.message}.`, { connection: "close" });
  }
  return error;
};

export interface ReceiveOptions {
  uploads: Uploads;
  admission: Admission;
  diskSpace: DiskSpace;
  /** Bytes of one upload. */
  uploadLimit: number;
  words?: UploadWords;
}

/**
 * Receives an upload, and calls `publish` with its file once it is complete and fewer than the limit are being unpacked.
 * @throws Fault payload_too_large, request_timeout, invalid_request, rate_limited if there are too many uploads,
 * storage_unavailable if the disk has too little space
 */
export const receiveUpload = async <Result>(
  { length, body, isCutOff, caller }: FileUpload,
  { uploads, admission, diskSpace, uploadLimit, words = ARCHIVE_WORDS }: ReceiveOptions,
  publish: (file: string) => Promise<Result>,
): Promise<Result> => {
  if (length !== undefined && length > uploadLimit) throw tooLarge(uploadLimit, words);
  const leave = admission.admit(caller, length ?? uploadLimit);
  try {
    diskSpace.assertFree(length ?? 0);
    return await uploads.receive(body, (file) =>
      admission.unpack(async () => {
        if (await isCutOff()) throw new UploadCutOff("the connection was closed");
        return publish(file);
      }),
    );
  } catch (error) {
    throw faultOf(error, uploadLimit, words);
  } finally {
    leave();
  }
};
