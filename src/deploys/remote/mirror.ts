import { forEachLimited } from "../../lib/limiter.ts";
import type { ObjectStore } from "../../protocols/s3/object-store.ts";
import type { Blobs } from "../blobs.ts";
import { BlobDamaged } from "../damaged-blobs.ts";
import { hashesInManifest } from "../manifest.ts";
import { BLOBS, hashIn } from "./names.ts";
import type { Uploader } from "./uploader.ts";

const MAX_CONCURRENT = 8;

/** Files so far, of how many. */
export type OnUploaded = (done: number, of: number) => void;

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
      await blobs.repair(hash, "is missing").catch((error: unknown) => {
        // Reported as damaged; the other files can be fetched.
        if (!(error instanceof BlobDamaged)) throw error;
      });
    });
  };

  return {
    /**
     * Fetches the files of served deploys that another node published, so that they are served while the object store is away.
     * @throws what the first failure was: call it again
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
    async uploadAll(onUploaded: OnUploaded = () => {}): Promise<number> {
      const stored = new Set<string>();
      for await (const { name } of store.list(BLOBS)) stored.add(hashIn(name) ?? "");
      const missing = [...(await needed())].filter((hash) => !stored.has(hash) && blobs.has(hash));
      let done = 0;
      await forEachLimited(missing, MAX_CONCURRENT, async (hash) => {
        await uploader.put(hash);
        onUploaded(++done, missing.length);
      });
      return missing.length;
    },
  };
};

export type BlobMirror = ReturnType<typeof blobMirror>;
