import { Fault } from "../../../lib/errors.ts";
import { forEachLimited } from "../../../lib/limiter.ts";
import { ObjectStoreError } from "../../../protocols/s3/object-store-error.ts";
import type { ObjectStore } from "../../../protocols/s3/object-store.ts";
import { DONE, MAX_UPLOAD_MS, PENDING, SWEEPS, SWEEP_MARGIN_MS, SWEEP_MS, blobName } from "./names.ts";

const MAX_CONCURRENT = 16;
const POLL_MS = 1000;
/** Hashes in memory: 100 MB. */
const MAX_KNOWN = 500_000;

const away = (): Fault =>
  new Fault(
    "storage_unavailable",
    "The object store that has the files of all sites cannot be reached. Nothing was published, and the previous site is still served. Try again later.",
    { "retry-after": "30" },
  );

const asFault = (error: unknown): unknown => (error instanceof ObjectStoreError ? away() : error);

export interface Uploader {
  /**
   * Stores blobs that the object store lacks. When it resolves, all are there, and no sweep removes them for a day.
   * @param manifest the hash of the blob that names all others
   * @returns a function to call once the deploy is recorded, or certainly is not
   * @throws Fault storage_unavailable
   */
  upload(manifest: string, hashes: Iterable<string>): Promise<() => void>;
  /** Stores one blob, regardless of earlier results for it. @throws ObjectStoreError */
  put(hash: string): Promise<void>;
}

/** For a node of a cluster without an object store: the other nodes would never get the files. */
export const NO_UPLOADER: Uploader = {
  async upload() {
    throw new Fault(
      "storage_unavailable",
      "This server is one of several and has no object store for the files of sites. Its operator must set BLOBS_URL. Nothing was published.",
      { "retry-after": "60" },
    );
  },
  put: async () => {},
};

/** Remembers which sweeps this process has seen, and since when. */
const sweepWatch = (store: ObjectStore, sleep: (ms: number) => Promise<void>, now: () => number) => {
  const seen = new Map<string, number>();

  /** Sweeps that may remove objects now, and whether any has begun since the last call. */
  const look = async () => {
    const names = (await Array.fromAsync(store.list(SWEEPS))).map(({ name }) => name);
    const isNew = names.some((name) => !seen.has(name));
    for (const name of seen.keys()) if (!names.includes(name)) seen.delete(name);
    for (const name of names) if (!seen.has(name)) seen.set(name, now());
    // A sweeper that dies leaves its mark.
    const after = now() - SWEEP_MS - SWEEP_MARGIN_MS;
    return { isNew, isRunning: names.some((name) => !name.endsWith(DONE) && (seen.get(name) ?? 0) > after) };
  };

  /** Waits until no sweep is running. @returns true if any has begun since the last call */
  return async (): Promise<boolean> => {
    let isNew = false;
    for (;;) {
      const found = await look();
      isNew ||= found.isNew;
      if (!found.isRunning) return isNew;
      await sleep(POLL_MS);
    }
  };
};

/**
 * Stores the blobs of deploys before they are recorded. That no sweep removes the blobs of a pending deploy rests on the order
 * of four steps here and four of a sweep (sweeper.ts), and on nothing else; an object store shows every write to every later
 * read.
 *
 * 1. Put an object in `pending/` that names the manifest, which names all blobs.
 * 2. Wait until no mark of a running sweep is in `sweeps/`.
 * 3. Check that each blob is there, and put those that are missing.
 * 4. Commit the deploy, and then remove the object of step 1.
 *
 * A sweep that marks itself after step 2 sees the pending upload, or the deploy itself. One that had marked itself before step 2
 * has ended before step 3 looks: it removes its mark when it has ended, and if it dies, the store refuses its requests before
 * the wait here is over, because their signatures have expired.
 */
export const blobUploader = ({
  store,
  pathOf,
  sleep,
  now = () => performance.now(),
}: {
  store: ObjectStore;
  pathOf: (hash: string) => string;
  sleep: (ms: number) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}): Uploader => {
  const noSweep = sweepWatch(store, sleep, now);
  /** Blobs that the store had since the last sweep that this process knows of. */
  let stored = new Set<string>();

  const put = (hash: string): Promise<void> => store.put(blobName(hash), Bun.file(pathOf(hash)));

  const putMissing = async (hash: string): Promise<void> => {
    const known = stored;
    if (known.has(hash)) return;
    const found = await store.stat(blobName(hash));
    if (found?.size !== Bun.file(pathOf(hash)).size) await put(hash);
    // Another upload may have seen a sweep meanwhile: then this adds to a discarded set.
    if (known.size < MAX_KNOWN) known.add(hash);
  };

  const uploadPending = async (pending: string, manifest: string, hashes: Iterable<string>) => {
    const endsAt = now() + MAX_UPLOAD_MS;
    // A sweep reads it.
    await put(manifest);
    await store.put(pending, new Uint8Array());
    if (await noSweep()) stored = new Set();
    await forEachLimited(new Set([manifest, ...hashes]), MAX_CONCURRENT, async (hash) => {
      if (now() > endsAt) throw away();
      await putMissing(hash);
    });
  };

  const remove = (pending: string): void => {
    // A sweep removes it otherwise.
    store.remove(pending).catch(() => {});
  };

  return {
    put,
    async upload(manifest, hashes) {
      const pending = `${PENDING}${manifest}-${crypto.randomUUID()}`;
      try {
        await uploadPending(pending, manifest, hashes);
      } catch (error) {
        remove(pending);
        throw asFault(error);
      }
      return () => remove(pending);
    },
  };
};
