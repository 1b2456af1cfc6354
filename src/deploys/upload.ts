import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { makeOwned } from "../ownership.ts";

/** Where archives lie while they are unpacked; a directory that one process owns. */
export interface Uploads {
  /** Removes what a crash left. */
  clear(): void;
  /**
   * Writes a body to a file of its own, which is gone when `use` has ended.
   * @throws UploadTooLarge, UploadCutOff, or a system's error
   */
  hold<Result>(
    body: ReadableStream<Uint8Array> | null,
    use: (file: string) => Promise<Result>,
  ): Promise<Result>;
}

/** The body has more bytes than it may. */
export class UploadTooLarge extends Error {
  override name = "UploadTooLarge";
}

/** The client left before its body was complete, or sent nothing for too long. */
export class UploadCutOff extends Error {
  override name = "UploadCutOff";
}

export interface UploadLimits {
  /** Bytes of one body. */
  bytes: number;
  /** Milliseconds that may pass without a byte. */
  stallMs: number;
  /** Milliseconds that all of it may take. */
  wholeMs: number;
}

/** The chunks of a body; one that breaks off or stalls is told from a disk that fails. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  { stallMs, wholeMs }: UploadLimits,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const end = performance.now() + wholeMs;
  const next = async () => {
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(() => resolve("late"), Math.max(0, Math.min(stallMs, end - performance.now())));
    try {
      return await Promise.race([reader.read(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    for (;;) {
      const read = await next().catch((cause: unknown) => {
        throw new UploadCutOff("the upload broke off", { cause });
      });
      if (read === "late") throw new UploadCutOff("the upload stalled");
      if (read.done) return;
      yield read.value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

const write = async (file: string, body: ReadableStream<Uint8Array> | null, limits: UploadLimits) => {
  const handle = await open(file, "wx", 0o600);
  try {
    let size = 0;
    for await (const chunk of body ? chunksOf(body, limits) : []) {
      size += chunk.length;
      if (size > limits.bytes) throw new UploadTooLarge(`larger than ${limits.bytes} bytes`);
      // Not `write`, which may take a part of it only.
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
};

/** The uploads in `directory`, which the first makes if it is not there. */
export const openUploads = (directory: string, limits: UploadLimits): Uploads => {
  return {
    clear() {
      rmSync(directory, { recursive: true, force: true });
    },
    async hold(body, use) {
      makeOwned(directory);
      const file = join(directory, crypto.randomUUID());
      try {
        await write(file, body, limits);
        return await use(file);
      } finally {
        rmSync(file, { force: true });
      }
    },
  };
};
