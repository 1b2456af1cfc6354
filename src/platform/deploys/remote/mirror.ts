import { forEachLimited } from "../../../lib/limiter.ts";
import type { ObjectStore } from "../../../protocols/s3/object-store.ts";
import { BlobDamaged, MISSING } from "../blob-check.ts";
import type { Blobs } from "../blobs.ts";
import { hashesInManifest } from "../manifest.ts";
import { BLOBS, hashIn } from "./names.ts";
import type { Uploader } from "./uploader.ts";

const MAX_CONCURRENT = 8;

/** Files so far, of how many. */
export type OnUploaded = (done: number, of: number) => void;

/**
 * Uploads blobs that the object store lacks and this machine has.
 * @returns how many were uploaded, and how many are in neither place @throws ObjectStoreError
 */
export const uploadMissing = async (
  hashes: Iterable<string>,
  {
    store,
    blobs,
    uploader,
  }: { store: ObjectStore; blobs: Pick<Blobs, "has">; uploader: Pick<Uploader, "put"> },
  onUploaded: OnUploaded = () => {},
): Promise<{ uploaded: number; lost: number }> => {
  const stored = new Set<string>();
  for await (const { name } of store.list(BLOBS)) stored.add(hashIn(name) ?? "");
  const missing = [...hashes].filter((hash) => !stored.has(hash));
  const here = missing.filter(blobs.has);
  let done = 0;
  await forEachLimited(here, MAX_CONCURRENT, async (hash) => {
    await uploader.put(hash);
    onUploaded(++done, here.length);
  });
  return { uploaded: here.length, lost: missing.length - here.length };
};

/** Both directions between this machine's blobs and the object store, apart from deploys and requests. */
export const blobMirror = ({
  store,
  blobs,
  uploader,
  needed,
  activeManifests,
}: {
  store: ObjectStore;
  blobs: Pick<Blobs, "pathOf" | "damage" | "repair" | "has">;
  uploader: Uploader;
  /** The hashes of all blobs that deploys need. */
  needed: () => Promise<ReadonlySet<string>>;
  /** The manifests of the deploys that are served. */
  activeManifests: () => Promise<readonly string[]>;
}) => {
  /** Manifests whose files are all here, or have been. */
  let fetched: ReadonlySet<string> = new Set();

  const fetchMissing = async (hashes: Iterable<string>, signal: AbortSignal): Promise<void> => {
    const missing = [...new Set(hashes)].filter((hash) => !blobs.has(hash));
    await forEachLimited(missing, MAX_CONCURRENT, async (hash) => {
      if (signal.aborted) return;
      await blobs.repair(hash, MISSING).catch((error: unknown) => {
        // Reported as damaged; the other files can be fetched.
        if (!(error instanceof BlobDamaged)) throw error;
      });
    });
  };

  return {
    /**
     * Fetches the files of served deploys that another node published, to serve them while the object store is unreachable.
     * @throws the first failure: call it again
     */
    async prefetch(signal: AbortSignal): Promise<void> {
      const manifests = await activeManifests();
      const done = new Set(manifests.filter((manifest) => fetched.has(manifest)));
      fetched = done;
      for (const manifest of manifests) {
        if (signal.aborted) return;
        if (done.has(manifest)) continue;
        await fetchMissing(await hashesInManifest(blobs, manifest), signal);
        done.add(manifest);
      }
    },
    /**
     * Uploads the files of all deploys that the object store lacks and this machine has: those of the time before BLOBS_URL, and
     * those of a restored backup. @returns how many @throws ObjectStoreError
     */
    uploadAll: async (onUploaded?: OnUploaded) =>
      (await uploadMissing(await needed(), { store, blobs, uploader }, onUploaded)).uploaded,
  };
};

export type BlobMirror = ReturnType<typeof blobMirror>;
