import { forEachLimited } from "../../../lib/limiter.ts";
import type { Clock } from "../../../lib/time.ts";
import { ObjectStoreError } from "../../../protocols/s3/object-store-error.ts";
import type { ObjectStore } from "../../../protocols/s3/object-store.ts";
import {
  BLOBS,
  DONE,
  GRACE_MS,
  OWNER,
  PENDING,
  SWEEPS,
  SWEEP_MS,
  blobName,
  hashIn,
  manifestIn,
} from "./names.ts";

const MAX_CONCURRENT = 16;
const MAX_SKEW_MS = 20_000;

/** The objects belong to another store: two that share a bucket need a prefix each. */
export class ForeignObjects extends Error {
  override name = "ForeignObjects";
}

interface SweeperOptions {
  store: ObjectStore;
  /** The hashes of all blobs that deploys of any node need now. Throws if one of them cannot be read. */
  needed: () => Promise<ReadonlySet<string>>;
  /** The hashes of all blobs that a manifest needs. Throws if it cannot be read. */
  hashesOf: (manifest: string) => Promise<Iterable<string>>;
  /** Identifies the store, on all nodes. */
  owner: string;
  clock: Clock;
  /** Ends the sweep. */
  signal: AbortSignal;
}

const textOf = async (parts: AsyncIterable<Uint8Array>): Promise<string> =>
  new TextDecoder().decode(Buffer.concat(await Array.fromAsync(parts)));

/** @throws ForeignObjects */
const assertOwner = async ({ store, owner }: SweeperOptions): Promise<void> => {
  const parts = await store.get(OWNER);
  if (!parts) return store.put(OWNER, new TextEncoder().encode(owner));
  if ((await textOf(parts)) !== owner)
    throw new ForeignObjects(
      `${store.place} belongs to another store: nothing is removed from it. Give each store a separate prefix in BLOBS_URL.`,
    );
};

/** Blobs that are older than the grace time and that no deploy needs. */
const unneeded = async ({ store, needed, clock }: SweeperOptions): Promise<string[]> => {
  const before = clock.now() - GRACE_MS;
  const old: string[] = [];
  for await (const { name, modifiedAt } of store.list(BLOBS)) {
    const hash = hashIn(name);
    if (hash !== undefined && modifiedAt < before) old.push(hash);
  }
  if (old.length === 0) return [];
  const keep = await needed();
  return old.filter((hash) => !keep.has(hash));
};

/** The hashes of all blobs that uploads in progress need. Removes the remains of abandoned ones. */
const pendingBlobs = async ({ store, hashesOf }: SweeperOptions, now: number): Promise<Set<string>> => {
  const hashes = new Set<string>();
  for await (const { name, modifiedAt } of store.list(PENDING)) {
    const manifest = manifestIn(name);
    if (manifest === undefined) continue;
    if (modifiedAt < now - GRACE_MS) {
      await store.remove(name);
      continue;
    }
    hashes.add(manifest);
    for (const hash of await hashesOf(manifest)) hashes.add(hash);
  }
  return hashes;
};

/** True for a minute: by both clocks, because one of them stands still while the machine sleeps. */
const minute = (clock: Clock): (() => boolean) => {
  const [wall, steady] = [clock.now(), performance.now()];
  return () => clock.now() - wall < SWEEP_MS && performance.now() - steady < SWEEP_MS;
};

const removeAll = async (store: ObjectStore, hashes: string[], isAllowed: () => boolean): Promise<number> => {
  let removed = 0;
  await forEachLimited(hashes, MAX_CONCURRENT, async (hash) => {
    // The next sweep continues.
    if (!isAllowed()) return;
    await store.remove(blobName(hash), isAllowed);
    removed++;
  });
  return removed;
};

/** Marks the sweep as ended, and removes the marks of earlier ones. */
const endSweep = async (store: ObjectStore, mark: string, now: number): Promise<void> => {
  await store.put(mark + DONE, new Uint8Array());
  await store.remove(mark);
  for await (const { name, modifiedAt } of store.list(SWEEPS))
    if (name !== mark + DONE && modifiedAt < now - GRACE_MS) await store.remove(name);
};

/** Puts the mark of a sweep. @returns the time of the store @throws ObjectStoreError if this machine's clock is wrong */
const markSweep = async (store: ObjectStore, mark: string, clock: Clock): Promise<number> => {
  const before = clock.now();
  await store.put(mark, new Uint8Array());
  const at = (await store.stat(mark))?.modifiedAt ?? 0;
  // The store must refuse requests that are signed here and arrive too late.
  if (at < before - MAX_SKEW_MS || at > clock.now() + MAX_SKEW_MS)
    throw new ObjectStoreError(
      "the clock of this machine differs from the object store's: nothing is removed from it until the clock is set",
    );
  return at;
};

/** The candidates that no upload in progress and no deploy needs. The order matters: see below. */
const decide = async (options: SweeperOptions, candidates: string[], now: number): Promise<string[]> => {
  const pending = await pendingBlobs(options, now);
  const keep = await options.needed();
  return candidates.filter((hash) => !keep.has(hash) && !pending.has(hash));
};

/**
 * Removes objects that are older than a day, and that no deploy and no upload in progress needs. Many nodes may sweep
 * concurrently; a claim only avoids the work.
 *
 * 1. Put a mark in `sweeps/`, unless there is nothing to remove.
 * 2. Read the pending uploads and their blobs.
 * 3. Read the blobs of deploys: after step 2, for an upload is pending until its deploy is recorded.
 * 4. Remove the rest, for a minute at most, and replace the first mark with another one.
 *
 * uploader.ts explains why no upload loses a blob. If a removal fails, it may still arrive: then the mark stays, until it must
 * have. The last mark always stays: a node that has not seen it asks the store again for every blob that it knew.
 * @returns how many objects were removed
 * @throws ForeignObjects, ObjectStoreError, or an error of `needed`: then nothing was removed
 */
export const sweepObjects = async (options: SweeperOptions): Promise<number> => {
  const { store, clock } = options;
  const candidates = await unneeded(options);
  if (candidates.length === 0) return 0;
  await assertOwner(options);
  const mark = SWEEPS + crypto.randomUUID();
  const isInTime = minute(clock);
  const isAllowed = () => isInTime() && !options.signal.aborted;
  const now = await markSweep(store, mark, clock);
  try {
    const hashes = await decide(options, candidates, now);
    const removed = await removeAll(store, hashes, isAllowed);
    await endSweep(store, mark, now);
    return removed;
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) await endSweep(store, mark, now);
    throw error;
  }
};
