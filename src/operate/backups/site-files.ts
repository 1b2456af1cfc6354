import { createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BackupFiles } from "../../data/db/backup-contents.ts";
import { type BlobWriter, type Blobs, openBlobs } from "../../platform/deploys/blobs.ts";
import { MAX_MANIFEST_BYTES, hashesOf, readManifest } from "../../platform/deploys/manifest.ts";
import {
  BlobDamaged,
  MISSING,
  blobProblem,
  blobSize,
  isHash,
  problemFromError,
} from "../../platform/deploys/blob-check.ts";
import { OperatorError } from "../../lib/operator-error.ts";

/** Files of deployed sites, which are stored next to the database. */
export interface SiteFiles {
  files: number;
  bytes: number;
  /** Files that a deploy needs and that are missing or damaged. */
  missing: number;
}

/** Shows a line: the start of a step, or the counts of the present one. */
export type OnProgress = (line: string, isStep?: boolean) => void;

const PART_BYTES = 2 ** 20;

/** The storage of sites' files: DATA_DIR and, with BLOBS_URL, an object store that has all of them. */
export interface SiteStorage {
  /** With BLOBS_URL, it can fetch files that DATA_DIR lacks. */
  blobs: Blobs;
  /** Undefined without BLOBS_URL. */
  remote?: RemoteFiles | undefined;
}

interface RemoteFiles {
  has(hash: string): Promise<boolean>;
  /** Uploads the files that only DATA_DIR has. @returns how many files neither has @throws OperatorError */
  upload(hashes: readonly string[], onProgress: (done: number, of: number) => void): Promise<number>;
}

export const blobsPath = (dataDir: string): string => join(dataDir, "blobs");

export const blobsIn = (dataDir: string): Blobs => openBlobs(blobsPath(dataDir));

/** Fetches missing files from the object store, if there is one. Files that it lacks, too, stay missing. */
export const fetchMissing = async (
  blobs: Blobs,
  hashes: readonly string[],
  onProgress: (done: number, of: number) => void = () => {},
): Promise<void> => {
  const missing = hashes.filter((hash) => !blobs.has(hash));
  for (const [at, hash] of missing.entries()) {
    onProgress(at, missing.length);
    try {
      await blobs.repair(hash, MISSING);
    } catch (error) {
      if (!(error instanceof BlobDamaged)) throw error;
    }
  }
};

/** True if the store has this file and its content matches its name. */
export const isSound = async (blobs: Blobs, hash: string): Promise<boolean> =>
  (await blobProblem(blobs.pathOf(hash), hash)) === undefined;

class Damaged extends Error {}

/** The content of a file. @throws Damaged at its end if it does not match its name */
async function* checkedParts(path: string, hash: string): AsyncGenerator<Uint8Array> {
  blobSize(path);
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const part of createReadStream(path, {
    highWaterMark: PART_BYTES,
  }) as AsyncIterable<Uint8Array>) {
    hasher.update(part);
    yield part;
  }
  if (hasher.digest("hex") !== hash) throw new Damaged();
}

/** Every file that these deploys need, manifests included, but without the files of unreadable manifests. */
export const neededFiles = async (blobs: Blobs, manifests: readonly string[]): Promise<string[]> => {
  // Other names are only in a damaged database in use: `assertSound` refuses a backup that has one.
  const validHashes = manifests.filter(isHash);
  const needed = new Set(validHashes);
  await fetchMissing(blobs, validHashes);
  for (const manifest of validHashes) {
    const path = blobs.pathOf(manifest);
    try {
      if (blobSize(path) > MAX_MANIFEST_BYTES) continue;
      for (const hash of hashesOf(readManifest(await Bun.file(path).text()))) needed.add(hash);
    } catch {
      // The manifest counts as missing.
    }
  }
  return [...needed];
};

/** The size of a file; 0 if it is missing or damaged. */
const sizeOrZero = (path: string): number => {
  try {
    return blobSize(path);
  } catch (error) {
    if (problemFromError(error) === undefined) throw error;
    return 0;
  }
};

export const totalBytes = (blobs: Blobs, hashes: readonly string[]): number =>
  hashes.reduce((sum, hash) => sum + sizeOrZero(blobs.pathOf(hash)), 0);

export const countMissing = (blobs: Blobs, hashes: readonly string[]): number =>
  hashes.filter((hash) => !existsSync(blobs.pathOf(hash))).length;

/**
 * Copies files of the store into a backup. Leaves out missing and damaged files, and counts them.
 * @param onProgress called with the number of files so far
 */
export const addSiteFiles = async (
  blobs: Blobs,
  hashes: readonly string[],
  files: BackupFiles,
  onProgress: (done: number) => void,
): Promise<SiteFiles> => {
  const sum: SiteFiles = { files: 0, bytes: 0, missing: 0 };
  for (const [at, hash] of hashes.entries()) {
    onProgress(at);
    const path = blobs.pathOf(hash);
    try {
      await files.put(hash, checkedParts(path, hash));
      sum.files++;
      sum.bytes += statSync(path).size;
    } catch (error) {
      if (!(error instanceof Damaged) && problemFromError(error) === undefined) throw error;
      sum.missing++;
    }
  }
  return sum;
};

/** Counts missing and damaged files, and lists the deploys that need them, as `slug id`. */
export const damagedDeploys = async (
  { blobs, remote }: SiteStorage,
  served: readonly { name: string; manifest: string }[],
): Promise<{ files: number; damaged: number; deploys: string[] }> => {
  const isDamaged = new Map<string, boolean>();
  const found = new Set<string>();
  for (const { name, manifest } of served)
    for (const hash of await neededFiles(blobs, [manifest])) {
      // The server fetches the files that the object store has.
      const known =
        isDamaged.get(hash) ?? !((await isSound(blobs, hash)) || (await remote?.has(hash)) === true);
      isDamaged.set(hash, known);
      if (known) found.add(name);
    }
  const damaged = isDamaged.values().reduce((sum, is) => sum + Number(is), 0);
  return { files: isDamaged.size, damaged, deploys: [...found] };
};

async function* toAsync(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/**
 * Stores the files of a backup. No visitor gets them before a database refers to them.
 * @param writer discarded by the caller if the restore fails
 */
export const restoreSiteFiles = async (
  blobs: Blobs,
  writer: BlobWriter,
  files: BackupFiles,
  onProgress: (done: number, of: number) => void,
): Promise<Omit<SiteFiles, "missing">> => {
  const hashes = files.hashes();
  let bytes = 0;
  for (const [at, hash] of hashes.entries()) {
    onProgress(at, hashes.length);
    if (!isHash(hash))
      throw new OperatorError("the backup is damaged: the name of a site's file is not a hash");
    if (await isSound(blobs, hash)) continue;
    const stored = await writer.put(toAsync(files.partsOf(hash)));
    if (stored.hash !== hash)
      throw new OperatorError(`the backup is damaged: file ${hash} of a site does not match its name`);
    bytes += stored.size;
  }
  await writer.flush();
  return { files: hashes.length, bytes };
};
