import type { Blobs } from "./blobs.ts";
import { MAX_MANIFEST_BYTES, type Manifest, hashesOf, readManifest } from "./manifest.ts";
import { blobSize, problemFromError } from "./blob-check.ts";

type Source = Pick<Blobs, "pathOf" | "damage">;

/** The text of a blob, and what is wrong with it. @throws the system's error if it says nothing about the file */
const read = async ({ pathOf }: Source, hash: string): Promise<{ text: string; problem?: string }> => {
  try {
    const path = pathOf(hash);
    if (blobSize(path) > MAX_MANIFEST_BYTES) return { text: "", problem: "is larger than any manifest" };
    const bytes = await Bun.file(path).bytes();
    const isWhole = Bun.SHA256.hash(bytes, "hex") === hash;
    return {
      text: new TextDecoder().decode(bytes),
      ...(!isWhole && { problem: "has other content than was stored" }),
    };
  } catch (error) {
    const problem = problemFromError(error);
    if (problem === undefined) throw error;
    return { text: "", problem };
  }
};

/** The manifest of a deploy. One that is known to be damaged is not read again. @throws BlobDamaged */
export const loadManifest = async (blobs: Source, hash: string): Promise<Manifest> => {
  if (blobs.damage.has(hash)) throw blobs.damage.add(hash, "");
  const { text, problem } = await read(blobs, hash);
  if (problem !== undefined) throw blobs.damage.add(hash, problem);
  return readManifest(text);
};

/** The hashes that a manifest names. Of a damaged one, every text that could be a hash, so that no file is swept too early. */
export const hashesNamedBy = async (blobs: Source, hash: string): Promise<Iterable<string>> => {
  const { text, problem } = await read(blobs, hash);
  if (problem === undefined) return hashesOf(readManifest(text));
  blobs.damage.add(hash, problem);
  return text.match(/[\da-f]{64}/g) ?? [];
};
