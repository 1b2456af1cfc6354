import { join } from "node:path";
import { type SiteStorage, blobsIn, fetchMissing, neededFiles } from "../operate/backups/site-files.ts";
import type { Config } from "../config/config.ts";
import { openExisting } from "../data/db/snapshot.ts";
import { manifestsOf } from "../data/db/stored-deploys.ts";
import { freeBytes } from "../data/data-dir/storage.ts";
import { databasePath } from "../data/data-dir/paths.ts";
import { type Blobs, openBlobs } from "../platform/deploys/blobs.ts";
import { type DiskSpace, diskSpaceAbove } from "../platform/deploys/disk-space.ts";
import { hashesOf, loadManifest } from "../platform/deploys/manifest.ts";
import { blobFetcher } from "../platform/deploys/remote/fetcher.ts";
import { OWNER, blobName } from "../platform/deploys/remote/names.ts";
import { blobMirror, uploadMissing } from "../platform/deploys/remote/mirror.ts";
import { type Uploader, blobUploader } from "../platform/deploys/remote/uploader.ts";
import { objectStoreStatus } from "../platform/deploys/remote/status.ts";
import { ForeignObjects, sweepObjects } from "../platform/deploys/remote/sweeper.ts";
import type { DeployService } from "../platform/deploys/service.ts";
import { Fault } from "../lib/errors.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { type Poller, repeat } from "../lib/poller.ts";
import { ObjectStoreError } from "../protocols/s3/object-store-error.ts";
import { openObjectStore } from "../protocols/s3/object-store.ts";
import type { RequestOptions } from "../protocols/s3/requests.ts";
import type { Context } from "../data/context.ts";

/** How soon the files of another node's deploy are fetched. */
const PREFETCH_MS = 2000;
/** How soon an unreachable object store is noticed while no request uses it. */
const WATCH_MS = 30_000;
const HOUR_MS = 60 * 60_000;
/** The delay from the start to the first upload of files that the object store lacks. */
const FIRST_UPLOAD_MS = 5000;
const FIRST_SWEEP_MS = 10 * 60_000;

interface StoreOfSites {
  blobs: Blobs;
  deploys: Pick<DeployService, "needed" | "neededExactly" | "activeManifests">;
  /** As that of the database: records of other nodes are then applied here. */
  fresh: () => Promise<void>;
  /** Identifies the store, on all nodes. */
  owner: () => string;
}

/** Failures of the object store are counted, and warned about by `/readyz`. */
const isReported = (error: unknown): boolean =>
  error instanceof ObjectStoreError || (error instanceof Fault && error.code === "storage_unavailable");

const onErrorOf = (log: Context["log"], message: string) => (error: unknown) => {
  if (!isReported(error)) log.warn({ err: error }, message);
};

/** A server that stops does not wait for an unreachable object store. */
const untilStopped =
  (work: (signal: AbortSignal) => Promise<unknown>) =>
  (signal: AbortSignal): Promise<unknown> => {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    return Promise.race([work(signal), stopped]);
  };

/** The object store of BLOBS_URL: undefined without it. @throws OperatorError without keys */
export const objectStorage = (
  { config: { blobsUrl }, clock, sleep, log }: Context,
  diskSpace: DiskSpace,
  requests: RequestOptions = {},
) => {
  if (!blobsUrl) return undefined;
  const status = objectStoreStatus(clock);
  const store = openObjectStore(blobsUrl, { ...requests, onRequest: status.onRequest });

  /** Asks for something, so that a failure that has ended is not reported any more. */
  const watch = async (): Promise<void> => {
    await store.stat(OWNER);
    if (status.isFailing("list")) for await (const _ of store.list(OWNER)) break;
    if (status.isFailing("get")) for await (const _ of (await store.get(OWNER)) ?? []) break;
    if (!status.isFailing("put") && !status.isFailing("remove")) return;
    const probe = `probes/${crypto.randomUUID()}`;
    await store.put(probe, new Uint8Array());
    await store.remove(probe);
  };

  /** The background work, alongside deploys and requests. */
  const start = ({ blobs, deploys, fresh, owner }: StoreOfSites, uploader: Uploader) => {
    const mirror = blobMirror({ store, blobs, uploader, ...deploys });
    const sweep = (signal: AbortSignal) =>
      sweepObjects({
        signal,
        store,
        needed: async () => {
          await fresh();
          return deploys.neededExactly();
        },
        hashesOf: async (manifest) => hashesOf(await loadManifest(blobs, manifest)),
        owner: owner(),
        clock,
      });
    const everyNode: Poller[] = [
      repeat(WATCH_MS, untilStopped(watch), {
        firstMs: 0,
        onError: onErrorOf(log, "the object store cannot be watched"),
      }),
      repeat(PREFETCH_MS, untilStopped(mirror.prefetch), {
        firstMs: 0,
        onError: onErrorOf(log, "files of sites could not be fetched from the object store"),
      }),
      repeat(
        HOUR_MS,
        untilStopped(() => mirror.uploadAll()),
        {
          firstMs: FIRST_UPLOAD_MS,
          onError: onErrorOf(log, "files of sites could not be uploaded to the object store"),
        },
      ),
    ];
    const oneNode: Poller = repeat(HOUR_MS, untilStopped(sweep), {
      firstMs: FIRST_SWEEP_MS,
      onError: (error) =>
        error instanceof ForeignObjects
          ? log.error(error.message)
          : onErrorOf(log, "the object store could not be swept")(error),
    });
    return { store, status, mirror, sweep, everyNode, oneNode };
  };

  return {
    fetcherOf: blobFetcher(store, diskSpace),
    uploaderOf: (pathOf: (hash: string) => string): Uploader => blobUploader({ store, pathOf, sleep }),
    start,
  };
};

export type Objects = ReturnType<NonNullable<ReturnType<typeof objectStorage>>["start"]>;

/** The storage of sites' files for a command. @throws OperatorError if BLOBS_URL has no keys */
export const siteStorage = ({ dataDir, diskReserve, blobsUrl }: Config): SiteStorage => {
  if (!blobsUrl) return { blobs: blobsIn(dataDir) };
  const store = openObjectStore(blobsUrl);
  const diskSpace = diskSpaceAbove(() => freeBytes(dataDir), diskReserve);
  const blobs = openBlobs(join(dataDir, "blobs"), { diskSpace, fetcherOf: blobFetcher(store, diskSpace) });
  const uploader = blobUploader({ store, pathOf: blobs.pathOf, sleep: Bun.sleep });
  return {
    blobs,
    remote: {
      has: async (hash) => (await store.stat(blobName(hash))) !== undefined,
      async upload(hashes, onProgress) {
        try {
          return (await uploadMissing(hashes, { store, blobs, uploader }, onProgress)).lost;
        } catch (error) {
          throw error instanceof ObjectStoreError ? new OperatorError(error.message) : error;
        }
      },
    },
  };
};

/** The manifests of all deploys in the database of DATA_DIR. */
const manifestsIn = (dataDir: string): string[] => {
  const client = openExisting(databasePath(dataDir), { readonly: true });
  try {
    return manifestsOf(client);
  } finally {
    client.close();
  }
};

type OnFiles = (done: number, of: number) => void;

/** Uploads the files of all deploys that the object store lacks; none without BLOBS_URL. @throws OperatorError */
export const uploadSiteFiles = async (config: Config, onFiles: OnFiles): Promise<void> => {
  const { blobs, remote } = siteStorage(config);
  await remote?.upload(await neededFiles(blobs, manifestsIn(config.dataDir)), onFiles);
};

/** Fetches the files of all deploys that DATA_DIR lacks; none without BLOBS_URL. @throws OperatorError */
export const fetchSiteFiles = async (config: Config, onFiles: OnFiles): Promise<void> => {
  const { blobs } = siteStorage(config);
  try {
    await fetchMissing(blobs, await neededFiles(blobs, manifestsIn(config.dataDir)), onFiles);
  } catch (error) {
    if (!isReported(error)) throw error;
    throw new OperatorError(
      "files of sites are in the object store of BLOBS_URL, which cannot be reached: run adoption-store doctor, then try again",
    );
  }
};

/** Tries everything that the server does with the object store. @throws ObjectStoreError, OperatorError without keys */
export const probeObjectStore = async (blobsUrl: NonNullable<Config["blobsUrl"]>): Promise<string> => {
  const store = openObjectStore(blobsUrl, { tries: 2 });
  const probe = `probes/${crypto.randomUUID()}`;
  const content = crypto.getRandomValues(new Uint8Array(64));
  await store.put(probe, content);
  const read = Buffer.concat(await Array.fromAsync((await store.get(probe)) ?? []));
  const listed = (await Array.fromAsync(store.list(probe))).length;
  await store.remove(probe);
  if (!read.equals(content) || listed !== 1 || (await store.stat(probe)))
    throw new ObjectStoreError(
      `the object store ${store.place} does not show at once what was written: sites need one that does, as Amazon S3 does`,
    );
  return `${store.place}: objects can be written, read, listed and removed`;
};
