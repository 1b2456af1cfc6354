import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { makeOwned } from "../lib/ownership.ts";
import { type DiskSpace, UNLIMITED_SPACE } from "./disk-space.ts";

/** Where archives lie while they are unpacked; a directory that one process owns. */
export interface Uploads {
  /** Removes what a crash left. */
  clear(): void;
  /**
   * Writes a body to a file of its own, which is gone when `use` has ended.
   * @throws UploadTooLarge, UploadCutOff, NoRoom, or a system's error
   */
  receive<Result>(
    body: ReadableStream<Uint8Array> | null,
    use: (file: string) => Promise<Result>,
  ): Promise<Result>;
}

/** The body has more bytes than it may. */
export class UploadTooLarge extends Error {
  override name = "UploadTooLarge";
}

/** The client left before its body was complete, sent nothing for too long, or sent too slowly. */
export class UploadCutOff extends Error {
  override name = "UploadCutOff";
}

/** How slow an upload may be. */
export interface UploadPace {
  /** Milliseconds that may pass without a byte. */
  stallMs: number;
  /** Milliseconds before `bytesPerSecond` applies. */
  graceMs: number;
  /** The minimum rate, measured from the beginning. Time that the server takes to write does not count. */
  bytesPerSecond: number;
}

/** A quarter of a megabit a second: 100 MiB may take an hour. */
export const UPLOAD_PACE: UploadPace = { stallMs: 30_000, graceMs: 30_000, bytesPerSecond: 32 * 1024 };

export interface UploadLimits extends UploadPace {
  /** Bytes of one body. */
  bytes: number;
}

/** The chunks of a body; one that breaks off or stalls is told from a disk that fails. */
async function* readChunks(
  body: ReadableStream<Uint8Array>,
  { stallMs, graceMs, bytesPerSecond }: UploadLimits,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  let waited = 0;
  const next = async () => {
    const begun = performance.now();
    const left = Math.max(0, graceMs + (1000 * size) / bytesPerSecond - waited);
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const reason =
      left < stallMs
        ? `it was slower than ${bytesPerSecond} bytes a second, try again over a faster connection`
        : "the upload stalled";
    const timer = setTimeout(() => resolve(reason), Math.min(left, stallMs));
    try {
      return await Promise.race([reader.read(), late]);
    } finally {
      clearTimeout(timer);
      waited += performance.now() - begun;
    }
  };
  try {
    for (;;) {
      const read = await next().catch((cause: unknown) => {
        throw new UploadCutOff("the upload broke off", { cause });
      });
      if (typeof read === "string") throw new UploadCutOff(read);
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
  room: DiskSpace,
) => {
  const handle = await open(file, "wx", 0o600);
  try {
    let size = 0;
    for await (const chunk of body ? readChunks(body, limits) : []) {
      size += chunk.length;
      if (size > limits.bytes) throw new UploadTooLarge(`larger than ${limits.bytes} bytes`);
      room.assertFree(chunk.length);
      // Not `write`, which may take a part of it only.
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
};

/** The uploads in `directory`, which the first makes if it is not there. */
export const openUploads = (
  directory: string,
  limits: UploadLimits,
  room: DiskSpace = UNLIMITED_SPACE,
): Uploads => {
  return {
    clear() {
      rmSync(directory, { recursive: true, force: true });
    },
    async receive(body, use) {
      makeOwned(directory);
      const file = join(directory, crypto.randomUUID());
      try {
        await write(file, body, limits, room);
        return await use(file);
      } finally {
        rmSync(file, { force: true });
      }
    },
  };
};
