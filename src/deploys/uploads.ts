import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { makeOwnedDirectories } from "../lib/ownership.ts";
import { type DiskSpace, UNLIMITED_SPACE } from "./disk-space.ts";

/** The body is larger than its limit. */
export class UploadTooLarge extends Error {
  override name = "UploadTooLarge";
}

/** The client disconnected before the end of its body. */
export class UploadCutOff extends Error {
  override name = "UploadCutOff";
}

/** The client sent nothing for too long, or sent too slowly. */
export class UploadTooSlow extends UploadCutOff {
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
   * Writes a body to a file of its own, and removes the file when `use` has ended.
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

export type Uploads = ReturnType<typeof openUploads>;
