import { dirname, join } from "node:path";
import { withDeadline } from "../../../lib/time.ts";
import { syncPath } from "../../../lib/durable.ts";
import { Fault } from "../../../lib/errors.ts";
import { shared } from "../../../lib/lazy.ts";
import { limiter } from "../../../lib/limiter.ts";
import { makeOwnedDirectories } from "../../../lib/ownership.ts";
import { ObjectStoreError } from "../../../protocols/s3/object-store-error.ts";
import type { ObjectStore } from "../../../protocols/s3/object-store.ts";
import { moveIntoPlace, temporaryFiles, writeHashed } from "../blob-writer.ts";
import { type DiskSpace, InsufficientSpace } from "../disk-space.ts";
import { blobName } from "./names.ts";

export interface Fetcher {
  /**
   * Puts a whole copy of a blob in its place. Concurrent calls share one download.
   * @returns false if the object store has no whole copy either
   * @throws Fault storage_unavailable if the object store cannot be asked, or needs too long
   */
  fetch(hash: string): Promise<boolean>;
  /** Removes files that a crash left. @returns how many */
  sweep(): number;
}

/** Without an object store, lost files stay lost. */
export const NO_FETCHER: Fetcher = { fetch: async () => false, sweep: () => 0 };

const MAX_DOWNLOADS = 16;
/** How long a request waits for a download, which then continues. */
const WAIT_MS = 10_000;
/** After a failure, the object store is not asked for so long: requests are answered immediately. */
const REST_MS = 1000;
/** Nothing is downloaded for longer than this. Other processes may download into the same directory. */
const ABANDONED_MS = 24 * 60 * 60_000;

const RETRY = { "retry-after": "5" };
const AWAY = "This file is in the object store, which is unreachable. Try again in a few seconds.";
const SLOW = "This file is on its way from the object store. Try again in a few seconds.";
const FULL = "This file is in the object store, and the disk has too little space for it.";

const unavailable = (message: string): Fault => new Fault("storage_unavailable", message, RETRY);

const faultOf = (error: unknown): unknown => {
  if (error instanceof ObjectStoreError) return unavailable(AWAY);
  return error instanceof InsufficientSpace ? unavailable(FULL) : error;
};

/** Fetches blobs from the object store. A file gets its name once it is whole and on disk. */
export const blobFetcher =
  (store: ObjectStore, diskSpace: DiskSpace, { waitMs = WAIT_MS, restMs = REST_MS } = {}) =>
  (root: string, pathOf: (hash: string) => string): Fetcher => {
    const files = temporaryFiles(join(root, "fetched"), ABANDONED_MS);
    const limited = limiter(MAX_DOWNLOADS);
    let restsUntil = -Infinity;

    const download = async (hash: string): Promise<boolean> => {
      if (performance.now() < restsUntil) throw unavailable(AWAY);
      const parts = await store.get(blobName(hash));
      if (!parts) return false;
      files.makeDirectory();
      const { name, stored } = await writeHashed(files, parts, diskSpace);
      try {
        if (stored.hash !== hash) return false;
        await syncPath(files.pathOf(name));
        makeOwnedDirectories(dirname(pathOf(hash)));
        moveIntoPlace(files.pathOf(name), pathOf(hash));
        return true;
      } finally {
        files.drop(name);
      }
    };

    const fetchOnce = shared(async (hash: string): Promise<boolean> => {
      try {
        return await limited(() => download(hash));
      } catch (error) {
        if (error instanceof ObjectStoreError) restsUntil = performance.now() + restMs;
        throw faultOf(error);
      }
    });

    return {
      async fetch(hash) {
        const fetched = fetchOnce(hash);
        // It may fail without a waiter.
        fetched.catch(() => {});
        return withDeadline(fetched, waitMs, () => unavailable(SLOW));
      },
      sweep: files.sweep,
    };
  };
