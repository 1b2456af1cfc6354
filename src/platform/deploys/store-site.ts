import type { UnpackedFile } from "./archive.ts";
import type { BlobWriter, Blobs, Stored } from "./blobs.ts";
import { type Compressors, type Encodings, compressors, storeVariants } from "./variants.ts";
import { type Manifest, type SiteFile, writeManifest } from "./manifest.ts";
import { isCompressible, isImmutable, mediaType } from "./media-type.ts";
import { assertRules } from "./rules/site-rules.ts";
import { siteRoot } from "./site-root.ts";

/** Files up to this size are held in memory while they are stored and compressed. */
const MAX_BYTES_IN_MEMORY = 1024 * 1024;
/** Files that are stored concurrently: enough that every compressing worker has its next one. */
const MAX_CONCURRENT_FILES = 32;

/** The files of a site, on disk. */
interface StoredSite {
  manifest: Manifest;
  /** The manifest's own blob. */
  stored: Stored;
  /** Bytes of all files, unpacked. */
  bytes: number;
  /** Removes the pins of the blobs. Call it once the manifest is recorded. */
  release(): void;
  /** Removes the blobs that only this deploy needs. Call it if the manifest is not recorded. */
  discard(): void;
}

/** Reads a file into a separate buffer, which can be transferred to another thread. */
const readBytes = async ({ size, content }: UnpackedFile): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of content) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
};

interface Dependencies {
  writer: BlobWriter;
  workers: Compressors;
  /** The encodings of an earlier deploy, by the hash of the content. */
  known: ReadonlyMap<string, Encodings>;
}

/** The encodings of an earlier deploy, if the store still has them: most files of a site do not change. */
const knownEncodings = async (
  hash: string,
  { known, writer }: Dependencies,
): Promise<Encodings | undefined> => {
  const encodings = known.get(hash);
  for (const one of Object.values(encodings ?? {})) if (!(await writer.pin(one.hash))) return undefined;
  return encodings;
};

/** Stores one file with its variants. A large file is streamed to the store, and its variants are compressed from there. */
const storeFile = async (
  path: string,
  content: Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>,
  dependencies: Dependencies,
): Promise<SiteFile> => {
  const { writer, workers } = dependencies;
  const type = mediaType(path);
  const stored = await writer.put(content);
  const source = content instanceof Uint8Array ? content : await writer.pathOf(stored.hash);
  const encodings = isCompressible(type)
    ? ((await knownEncodings(stored.hash, dependencies)) ??
      (await storeVariants(source, stored.size, writer, workers)))
    : {};
  return { ...stored, type, encodings, immutable: isImmutable(path) };
};

/** Stores the files concurrently. After an error the files in progress end first, so that all they wrote can be removed. */
const storeFiles = async (
  files: AsyncIterable<UnpackedFile>,
  dependencies: Dependencies,
): Promise<Manifest> => {
  const manifest = new Map<string, SiteFile>();
  const running = new Set<Promise<void>>();
  let failure: unknown;
  const start = (path: string, content: Uint8Array<ArrayBuffer>) => {
    const task = storeFile(path, content, dependencies)
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
      if (unpacked.size > MAX_BYTES_IN_MEMORY)
        manifest.set(unpacked.path, await storeFile(unpacked.path, unpacked.content, dependencies));
      else start(unpacked.path, await readBytes(unpacked));
      if (running.size >= MAX_CONCURRENT_FILES) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw failure;
  return manifest;
};

/** The files by their paths in the site, sorted, so that the same files make the same manifest. @throws InvalidArchive */
const toManifest = (files: Manifest): Manifest => {
  const root = siteRoot([...files.keys()]);
  const named = [...files].map(([path, file]) => [path.slice(root.length), file] as const);
  return new Map(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

const encodingsOf = (earlier: Manifest): Dependencies["known"] =>
  new Map(
    [...earlier.values()]
      .filter(({ type }) => isCompressible(type))
      .map(({ hash, encodings }) => [hash, encodings]),
  );

/**
 * Stores the files of a deploy and their manifest. When it returns, all of it is on disk; if it throws, nothing is kept.
 * @param earlier another deploy: files that it has in common with this one are not compressed again
 * @throws InvalidArchive if the archive that the files come from breaks a rule; InsufficientSpace or a system's error
 */
export const storeSite = async (
  files: AsyncIterable<UnpackedFile>,
  blobs: Blobs,
  earlier: Manifest = new Map(),
): Promise<StoredSite> => {
  const writer = blobs.openWriter();
  const workers = compressors();
  try {
    const manifest = toManifest(await storeFiles(files, { writer, workers, known: encodingsOf(earlier) }));
    await assertRules(manifest, async ({ hash }) => Bun.file(await writer.pathOf(hash)).bytes());
    const stored = await writer.put(new TextEncoder().encode(writeManifest(manifest)));
    await writer.flush();
    const bytes = manifest.values().reduce((sum, { size }) => sum + size, 0);
    return { manifest, stored, bytes, release: writer.close, discard: writer.discard };
  } catch (error) {
    writer.discard();
    throw error;
  } finally {
    workers.stop();
  }
};
