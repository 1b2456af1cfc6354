import type { Context } from "../../../data/context.ts";
import type { Warning } from "../../../http/health.ts";
import { Fault } from "../../../lib/errors.ts";
import { forEachLimited } from "../../../lib/limiter.ts";
import { OperatorError } from "../../../lib/operator-error.ts";
import { type Poller, repeat } from "../../../lib/poller.ts";
import { type Clock, formatTime } from "../../../lib/time.ts";
import { ObjectStoreError } from "../../../protocols/s3/object-store-error.ts";
import {
  type ObjectStore,
  type Operation,
  type RequestOptions,
  openObjectStore,
} from "../../../protocols/s3/object-store.ts";
import { BlobDamaged, MISSING } from "../blob-check.ts";
import { type Blobs, openBlobs } from "../blobs.ts";
import type { DiskSpace } from "../disk-space.ts";
import { hashesInManifest, hashesOf, loadManifest } from "../manifest.ts";
import type { DeployService } from "../service.ts";
import { blobFetcher } from "./fetcher.ts";
import { blobName, BLOBS, hashIn, OWNER } from "./names.ts";
import { ForeignObjects, sweepObjects } from "./sweeper.ts";
import { type Uploader, blobUploader } from "./uploader.ts";

/** Requests to the object store so far. */
interface RequestCount {
  labels: { operation: Operation; outcome: "ok" | "failed" };
  count: number;
}

interface Failure {
  reason: string;
  /** In milliseconds UTC. */
  since: number;
}

/** Counts requests to the object store, and remembers which operations currently fail. */
const objectStoreStatus = (clock: Clock) => {
  const counts = new Map<string, RequestCount>();
  const failing = new Map<Operation, Failure>();

  const add = (operation: Operation, outcome: RequestCount["labels"]["outcome"]): void => {
    const key = `${operation} ${outcome}`;
    const counted = counts.get(key) ?? { labels: { operation, outcome }, count: 0 };
    counted.count++;
    counts.set(key, counted);
  };

  const onRequest: NonNullable<RequestOptions["onRequest"]> = (operation, error?: ObjectStoreError) => {
    add(operation, error ? "failed" : "ok");
    if (!error) failing.delete(operation);
    else if (!error.isFinal)
      failing.set(operation, {
        reason: error.message,
        since: failing.get(operation)?.since ?? clock.now(),
      });
  };

  return {
    onRequest,
    counts: () => [...counts.values()],
    isFailing: (operation: Operation) => failing.has(operation),
    /** The longest failure and its start; undefined while all is well. */
    failure: (): Failure | undefined => [...failing.values()].toSorted((a, b) => a.since - b.since)[0],
  };
};

type ObjectStoreStatus = ReturnType<typeof objectStoreStatus>;

/** The warning of `/readyz` about the object store. */
export const objectStoreWarnings = (status: Pick<ObjectStoreStatus, "failure"> | undefined): Warning[] => {
  const failure = status?.failure();
  if (!failure) return [];
  return [
    {
      code: "object_store_unavailable",
      count: 1,
      message: `Since ${formatTime(failure.since)}, ${failure.reason}. Deploys are refused; sites go on from the files on this machine. Run adoption-store doctor.`,
    },
  ];
};

const MAX_CONCURRENT = 8;

/** Files so far, of how many. */
type OnUploaded = (done: number, of: number) => void;

/**
 * Uploads blobs that the object store lacks and this machine has.
 * @returns how many were uploaded, and how many are in neither place @throws ObjectStoreError
 */
const uploadMissing = async (
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
const blobMirror = ({
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

/** How soon the files of another node's deploy are fetched. */
const PREFETCH_MS = 2000;
/** How soon an unreachable object store is noticed while no request uses it. */
const WATCH_MS = 30_000;
const HOUR_MS = 60 * 60_000;
/** The delay from the start to the first upload of files that the object store lacks. */
const FIRST_UPLOAD_MS = 5000;
const FIRST_SWEEP_MS = 10 * 60_000;

type BlobsUrl = NonNullable<Context["config"]["blobsUrl"]>;

interface StoreOfSites {
  blobs: Blobs;
  deploys: DeployService;
  /** As that of the database: records of other nodes are then applied here. */
  fresh: () => Promise<void>;
  /** Identifies the store, on all nodes. */
  owner: () => string;
}

/** True for a failure of the object store. `/readyz` warns about these. */
export const isObjectStoreFailure = (error: unknown): boolean =>
  error instanceof ObjectStoreError || (error instanceof Fault && error.code === "storage_unavailable");

type Work = (signal: AbortSignal) => Promise<unknown>;

/** A server that stops does not wait for an unreachable object store. */
const untilStopped =
  (work: Work) =>
  (signal: AbortSignal): Promise<unknown> => {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    return Promise.race([work(signal), stopped]);
  };

const poll = (ms: number, firstMs: number, work: Work, onError: (error: unknown) => void) =>
  repeat(ms, untilStopped(work), { firstMs, onError });

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

  const warn = (message: string) => (error: unknown) => {
    if (!isObjectStoreFailure(error)) log.warn({ err: error }, message);
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
      poll(WATCH_MS, 0, watch, warn("the object store cannot be watched")),
      poll(
        PREFETCH_MS,
        0,
        mirror.prefetch,
        warn("files of sites could not be fetched from the object store"),
      ),
      poll(
        HOUR_MS,
        FIRST_UPLOAD_MS,
        () => mirror.uploadAll(),
        warn("files of sites could not be uploaded to the object store"),
      ),
    ];
    const oneNode = poll(HOUR_MS, FIRST_SWEEP_MS, sweep, (error) =>
      error instanceof ForeignObjects
        ? log.error(error.message)
        : warn("the object store could not be swept")(error),
    );
    return { store, status, mirror, sweep, everyNode, oneNode };
  };

  return {
    fetcherOf: blobFetcher(store, diskSpace),
    uploaderOf: (pathOf: (hash: string) => string): Uploader => blobUploader({ store, pathOf, sleep }),
    start,
  };
};

export type Objects = ReturnType<NonNullable<ReturnType<typeof objectStorage>>["start"]>;

/** The files of sites in `path` and in the object store, for a command. @throws OperatorError if BLOBS_URL has no keys */
export const remoteBlobs = (blobsUrl: BlobsUrl, path: string, diskSpace: DiskSpace) => {
  const store = openObjectStore(blobsUrl);
  const blobs = openBlobs(path, { diskSpace, fetcherOf: blobFetcher(store, diskSpace) });
  const uploader = blobUploader({ store, pathOf: blobs.pathOf, sleep: Bun.sleep });
  return {
    blobs,
    remote: {
      has: async (hash: string) => (await store.stat(blobName(hash))) !== undefined,
      async upload(hashes: readonly string[], onProgress: (done: number, of: number) => void) {
        try {
          return (await uploadMissing(hashes, { store, blobs, uploader }, onProgress)).lost;
        } catch (error) {
          throw error instanceof ObjectStoreError ? new OperatorError(error.message) : error;
        }
      },
    },
  };
};

/** Tries everything that the server does with the object store. @throws ObjectStoreError, OperatorError without keys */
export const probeObjectStore = async (blobsUrl: BlobsUrl): Promise<string> => {
  const store = openObjectStore(blobsUrl, { tries: 2 });
  const probe = `probes/${crypto.randomUUID()}`;
  const content = crypto.getRandomValues(new Uint8Array(64));
  await store.put(probe, content);
  const read = Buffer.concat(await Array.fromAsync((await store.get(probe)) ?? []));
  const listed = (await Array.fromAsync(store.list(probe))).length;
  await store.remove(probe);
  if (!read.equals(content) || listed !== 1 || (await store.stat(probe)))
    throw new ObjectStoreError(
      `the object store ${store.place} does not show writes immediately: sites need one that does, as Amazon S3 does`,
    );
  return `${store.place}: objects can be written, read, listed and removed`;
};
