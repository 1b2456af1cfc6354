import type { UnpackedFile } from "./archive.ts";
import type { BlobWriter, Blobs, Stored } from "./blobs.ts";
import { type Compressors, compressors } from "./compressors.ts";
import { type Manifest, type SiteFile, writeManifest } from "./manifest.ts";
import { isCompressible, isImmutable, mediaType } from "./media-type.ts";
import { siteRoot } from "./site-root.ts";
import { type Encodings, storeVariants } from "./variants.ts";

/** Files up to this size are held in memory while they are stored and compressed. */
const IN_MEMORY = 1024 * 1024;
/** How many files are stored at once: enough for every compressing worker to have the next one waiting. */
const AT_ONCE = 32;

/** Files that are in the store, whole and on disk. */
export interface StoredSite {
  manifest: Manifest;
  /** The manifest itself. */
  stored: Stored;
  /** Bytes of all files, unpacked. */
  bytes: number;
  /** Lets sweeps see the blobs. Call it once the manifest is recorded. */
  release(): void;
  /** Removes the blobs that only this deploy needs. Call it if the manifest is not recorded. */
  discard(): void;
}

/** In memory of its own, which can be handed to another thread. */
const bytesOf = async ({ size, content }: UnpackedFile): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of content) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
};

/** What takes files in. */
interface Dependencies {
  writer: BlobWriter;
  workers: Compressors;
  /** The codings of contents that were made before, by hash. */
  made: ReadonlyMap<string, Encodings>;
}

/** Those of an earlier deploy, if the store still has them: most files of a site do not change. */
const madeBefore = async (hash: string, { made, writer }: Dependencies): Promise<Encodings | undefined> => {
  const encodings = made.get(hash);
  for (const one of Object.values(encodings ?? {})) if (!(await writer.pin(one.hash))) return undefined;
  return encodings;
};

/** Stores one file with its variants. A large one is streamed to the store, and its variants from there. */
const store = async (
  path: string,
  content: Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>,
  means: Dependencies,
): Promise<SiteFile> => {
  const { writer, workers } = means;
  const type = mediaType(path);
  const stored = await writer.put(content);
  const source = content instanceof Uint8Array ? content : await writer.pathOf(stored.hash);
  const encodings = isCompressible(type)
    ? ((await madeBefore(stored.hash, means)) ?? (await storeVariants(source, stored.size, writer, workers)))
    : {};
  return { ...stored, type, encodings, immutable: isImmutable(path) };
};

/** The files by their paths in the site, sorted, so that the same files make the same manifest. @throws ArchiveRefused */
const siteOf = (files: Manifest): Manifest => {
  const root = siteRoot([...files.keys()]);
  const named = [...files].map(([path, file]) => [path.slice(root.length), file] as const);
  return new Map(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

const storeAll = async (files: AsyncIterable<UnpackedFile>, means: Dependencies) => {
  const { writer } = means;
  const manifest = new Map<string, SiteFile>();
  const running = new Set<Promise<void>>();
  let failure: unknown;
  const start = (path: string, content: Uint8Array<ArrayBuffer>) => {
    const task = store(path, content, means)
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
        manifest.set(unpacked.path, await store(unpacked.path, unpacked.content, means));
      else start(unpacked.path, await bytesOf(unpacked));
      if (running.size >= AT_ONCE) await Promise.race(running);
    }
  } finally {
    // Nothing is left running behind a failure: what it wrote is then known, and removed.
    await Promise.all(running);
  }
  if (failure) throw failure;
  const site = siteOf(manifest);
  const stored = await writer.put(new TextEncoder().encode(writeManifest(site)));
  await writer.flush();
  return { manifest: site, stored };
};

const codingsOf = (earlier: Manifest): Dependencies["made"] =>
  new Map(
    [...earlier.values()]
      .filter(({ type }) => isCompressible(type))
      .map(({ hash, encodings }) => [hash, encodings]),
  );

/**
 * Takes the files of a deploy into the store, and their manifest: when this answers, all of it is on disk.
 * @param earlier another deploy: what it has in common with this one is not compressed again
 * @throws ArchiveRefused if the archive that they come from is at fault; NoRoom or a system's error if the disk is. Nothing is kept then.
 */
export const storeSite = async (
  files: AsyncIterable<UnpackedFile>,
  blobs: Blobs,
  earlier: Manifest = new Map(),
): Promise<StoredSite> => {
  const writer = blobs.openWriter();
  const workers = compressors();
  try {
    const { manifest, stored } = await storeAll(files, { writer, workers, made: codingsOf(earlier) });
    const bytes = manifest.values().reduce((sum, { size }) => sum + size, 0);
    return { manifest, stored, bytes, release: writer.close, discard: writer.discard };
  } catch (error) {
    writer.discard();
    throw error;
  } finally {
    workers.stop();
  }
};
