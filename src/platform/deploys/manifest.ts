import { CODINGS } from "../../lib/accept.ts";
import { BlobDamaged, blobSize, contentProblem, isHash, problemFromError } from "./blob-check.ts";
import type { BlobSource, Stored } from "./blobs.ts";
import type { Encoded, Encodings } from "./variants.ts";

/** A file of a deploy. */
export interface SiteFile extends Stored {
  /** The Content-Type. */
  type: string;
  encodings: Encodings;
  /** True if its name changes with its content. */
  immutable: boolean;
}

/** The files of a deploy by their path, without a leading slash. */
export type Manifest = ReadonlyMap<string, SiteFile>;

const VERSION = 1;

/** Larger than any manifest, even of 50,000 files with the longest paths. A larger file is not read. */
export const MAX_MANIFEST_BYTES = 256 * 2 ** 20;

export const writeManifest = (manifest: Manifest): string =>
  JSON.stringify({ version: VERSION, files: Object.fromEntries(manifest) });

/** Every blob that a deploy needs, variants included. */
export function* hashesOf(manifest: Manifest): Generator<string> {
  for (const { hash, encodings } of manifest.values()) {
    yield hash;
    for (const coding of CODINGS) if (encodings[coding]) yield encodings[coding].hash;
  }
}

/** The blobs of a file, and how many bytes each has: codings may share one. */
export const blobSizes = ({ hash, size, encodings }: SiteFile): Map<string, number> => {
  const sizes = new Map([[hash, size]]);
  for (const one of Object.values(encodings))
    sizes.set(one.hash, Math.max(one.at + one.size, sizes.get(one.hash) ?? 0));
  return sizes;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isStored = (value: unknown): value is Record<string, unknown> & Stored =>
  isRecord(value) &&
  typeof value["hash"] === "string" &&
  isHash(value["hash"]) &&
  Number.isSafeInteger(value["size"]) &&
  Number(value["size"]) >= 0;

const isEncoded = (value: unknown): value is Encoded =>
  isStored(value) && Number.isSafeInteger(value["at"]) && Number(value["at"]) >= 0;

const isEncodings = (value: unknown): value is Encodings =>
  isRecord(value) &&
  Object.entries(value).every(
    ([coding, stored]) => CODINGS.some((known) => known === coding) && isEncoded(stored),
  );

const isSiteFile = (value: unknown): value is SiteFile =>
  isStored(value) &&
  typeof value["type"] === "string" &&
  /^[\w.+-]+\/[\w.+-]+(?:; charset=utf-8)?$/.test(value["type"]) &&
  typeof value["immutable"] === "boolean" &&
  isEncodings(value["encodings"]);

/** Reads the output of `writeManifest`. @throws Error that names the problem */
export const readManifest = (text: string): Manifest => {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || value["version"] !== VERSION || !isRecord(value["files"]))
    throw new Error(`The manifest is not one of version ${VERSION}.`);
  const files = new Map<string, SiteFile>();
  for (const [path, file] of Object.entries(value["files"])) {
    if (!isSiteFile(file)) throw new Error(`The manifest's entry ${JSON.stringify(path)} is damaged.`);
    files.set(path, file);
  }
  return files;
};

/** Reads the text and the problem of a blob. @throws the system's error if it is not about the file */
const readBlob = async (
  { pathOf }: BlobSource,
  hash: string,
): Promise<{ text: string; problem: string | undefined }> => {
  try {
    const path = pathOf(hash);
    if (blobSize(path) > MAX_MANIFEST_BYTES) return { text: "", problem: "is larger than any manifest" };
    const bytes = await Bun.file(path).bytes();
    return { text: new TextDecoder().decode(bytes), problem: contentProblem(bytes, hash) };
  } catch (error) {
    const problem = problemFromError(error);
    if (problem === undefined) throw error;
    return { text: "", problem };
  }
};

/** As `readBlob`, from the object store if this machine has no whole copy. @throws Fault storage_unavailable */
const readRepaired = async (blobs: BlobSource, hash: string): ReturnType<typeof readBlob> => {
  const found = await readBlob(blobs, hash);
  if (found.problem === undefined) return found;
  try {
    await blobs.repair(hash, found.problem);
  } catch (error) {
    if (error instanceof BlobDamaged) return found;
    throw error;
  }
  return readBlob(blobs, hash);
};

/** Loads the manifest of a deploy. It does not read a manifest that is marked as damaged. @throws as `repair` does */
export const loadManifest = async (blobs: BlobSource, hash: string): Promise<Manifest> => {
  const known = blobs.damage.problemOf(hash);
  if (known !== undefined) await blobs.repair(hash, known);
  const { text, problem } = await readRepaired(blobs, hash);
  if (problem !== undefined) throw blobs.damage.add(hash, problem);
  return readManifest(text);
};

/**
 * The hashes in a stored manifest. In a damaged one, every text that could be a hash counts, so that no file is swept too
 * early. @throws Fault storage_unavailable
 */
export const hashesInManifest = async (blobs: BlobSource, hash: string): Promise<Iterable<string>> => {
  const { text, problem } = await readRepaired(blobs, hash);
  return problem === undefined ? hashesOf(readManifest(text)) : (text.match(/[\da-f]{64}/g) ?? []);
};
