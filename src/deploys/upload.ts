import { mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

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

/** The client left before its body was complete. */
export class UploadCutOff extends Error {
  override name = "UploadCutOff";
}

/** The chunks of a body; one that breaks off is told from a disk that fails. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new UploadCutOff("the upload ended before it was complete", { cause: error });
  }
}

const write = async (file: string, body: ReadableStream<Uint8Array> | null, most: number): Promise<void> => {
  const handle = await open(file, "wx", 0o600);
  try {
    let size = 0;
    for await (const chunk of body ? chunksOf(body) : []) {
      size += chunk.length;
      if (size > most) throw new UploadTooLarge(`larger than ${most} bytes`);
      // Not `write`, which may take a part of it only.
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
};

/** The uploads in `directory`, which the first makes if it is not there. @param most bytes of one body */
export const openUploads = (directory: string, most: number): Uploads => {
  return {
    clear() {
      rmSync(directory, { recursive: true, force: true });
    },
    async hold(body, use) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const file = join(directory, crypto.randomUUID());
      try {
        await write(file, body, most);
        return await use(file);
      } finally {
        rmSync(file, { force: true });
      }
    },
  };
};
