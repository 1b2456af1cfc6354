import type { UnpackedFile } from "./archive.ts";
import type { BlobWriter, Blobs } from "./blobs.ts";
import { type Manifest, type SiteFile, writeManifest } from "./manifest.ts";
import { isCompressible, isImmutable, mediaType } from "./media.ts";
import { storeVariants } from "./variants.ts";

/** Files up to this size are held in memory while they are stored and compressed. */
const IN_MEMORY = 1024 * 1024;
/** How many files are stored at once. */
const AT_ONCE = 8;

/** Files that are in the store, whole and on disk. */
export interface Intake {
  manifest: Manifest;
  /** What the manifest itself is stored under. */
  hash: string;
  /** Bytes of all files, unpacked. */
  bytes: number;
  /** Lets sweeps see the blobs: to be called once the manifest is recorded, or given up. */
  release(): void;
}

const bytesOf = async ({ content }: UnpackedFile): Promise<Uint8Array> =>
  Buffer.concat(await Array.fromAsync(content));

/** Stores one file with its variants. A large one is streamed to the store, and its variants from there. */
const store = async (
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  writer: BlobWriter,
): Promise<SiteFile> => {
  const type = mediaType(path);
  const stored = await writer.put(content);
  const source = content instanceof Uint8Array ? content : await writer.pathOf(stored.hash);
  const encodings = isCompressible(type) ? await storeVariants(source, stored.size, writer) : {};
  return { ...stored, type, encodings, immutable: isImmutable(path) };
};

const storeAll = async (files: AsyncIterable<UnpackedFile>, writer: BlobWriter) => {
  const manifest = new Map<string, SiteFile>();
  const running = new Set<Promise<void>>();
  let failure: unknown;
  const start = (path: string, content: Uint8Array) => {
    const task = store(path, content, writer)
      .then((stored) => void manifest.set(path, stored))
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => running.delete(task));
    running.add(task);
  };
  try {
    for await (const unpacked of files) {
      if (failure) break;
      if (unpacked.size > IN_MEMORY)
        manifest.set(unpacked.path, await store(unpacked.path, unpacked.content, writer));
      else start(unpacked.path, await bytesOf(unpacked));
      if (running.size >= AT_ONCE) await Promise.race(running);
    }
  } finally {
    // Nothing is left running behind a failure: what it wrote is then known, and removed.
    await Promise.all(running);
  }
  if (failure) throw failure;
  const { hash } = await writer.put(new TextEncoder().encode(writeManifest(manifest)));
  await writer.flush();
  return { manifest, hash };
};

/**
 * Takes the files of a deploy into the store, and their manifest: when this answers, all of it is on disk.
 * @throws ArchiveRefused if the archive that they come from is at fault; a system's error if the disk is. Nothing is kept then.
 */
export const takeIn = async (files: AsyncIterable<UnpackedFile>, blobs: Blobs): Promise<Intake> => {
  const writer = blobs.begin();
  try {
    const { manifest, hash } = await storeAll(files, writer);
    const bytes = manifest.values().reduce((sum, { size }) => sum + size, 0);
    return { manifest, hash, bytes, release: () => writer.close() };
  } catch (error) {
    writer.discard();
    throw error;
  }
};
