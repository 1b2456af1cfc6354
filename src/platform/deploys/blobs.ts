import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DamagedBlobs, InvalidHash, MISSING, damagedBlobs, isHash } from "./blob-check.ts";
import { blobPins, blobWriter, temporaryFiles } from "./blob-writer.ts";
import { type DiskSpace, UNLIMITED_SPACE } from "./disk-space.ts";
import { type Fetcher, NO_FETCHER } from "./remote/fetcher.ts";

export type { BlobWriter, Content, Stored } from "./blob-writer.ts";

const SHARD = /^[\da-f]{2}$/;
const REST = /^[\da-f]{62}$/;

interface BlobsOptions {
  diskSpace?: DiskSpace;
  damage?: DamagedBlobs;
  /** Gets blobs from an object store into `root`. */
  fetcherOf?: (root: string, pathOf: (hash: string) => string) => Fetcher;
}

/**
 * Opens a store of files by the SHA-256 of their content, in a directory that one process owns. Each content is stored once.
 * The first writer creates the directory.
 */
export const openBlobs = (
  root: string,
  { diskSpace = UNLIMITED_SPACE, damage = damagedBlobs(), fetcherOf = () => NO_FETCHER }: BlobsOptions = {},
) => {
  const temporary = temporaryFiles(join(root, "tmp"));
  const pins = blobPins();
  const sweeps = new Set<Promise<unknown>>();

  const pathOf = (hash: string) => {
    if (!isHash(hash))
      throw new InvalidHash(`${JSON.stringify(hash.slice(0, 80))} is not the hash of a file`);
    return `${root}/${hash.slice(0, 2)}/${hash.slice(2)}`;
  };

  const fetcher = fetcherOf(root, pathOf);

  const afterSweeps = (onEnd: () => void) => {
    if (sweeps.size === 0) onEnd();
    else void Promise.allSettled(sweeps).then(onEnd);
  };

  const sweepShard = (shard: string, keep: ReadonlySet<string>): number => {
    // Without an await between listing and removal: a writer pins a blob before both, or finds it missing.
    const unneeded = readdirSync(join(root, shard)).filter(
      (rest) => REST.test(rest) && !keep.has(shard + rest) && !pins.isPinned(shard + rest),
    );
    for (const rest of unneeded) rmSync(join(root, shard, rest), { recursive: true });
    return unneeded.length;
  };

  const sweepAll = async (needed: () => Iterable<string> | Promise<Iterable<string>>): Promise<number> => {
    if (!existsSync(root)) return 0;
    const keep = new Set(await needed());
    damage.retainOnly(keep);
    let removed = 0;
    const shards = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && SHARD.test(entry.name))
      .map(({ name }) => name);
    for (const shard of shards) {
      removed += sweepShard(shard, keep);
      await Bun.sleep(0);
    }
    return removed + temporary.sweep() + fetcher.sweep();
  };

  return {
    /** @throws InvalidHash for anything but a hash: its path could lead outside the store */
    pathOf,
    damage,
    has: (hash: string): boolean => existsSync(pathOf(hash)),
    /**
     * Gets a missing or damaged blob from the object store again.
     * @throws BlobDamaged without an object store, or if it lacks the blob; Fault storage_unavailable if it cannot be asked now
     */
    async repair(hash: string, problem: string): Promise<void> {
      // Another request may have fetched a missing blob since.
      const isFetched = problem === MISSING && existsSync(pathOf(hash));
      if (!isFetched && !(await fetcher.fetch(hash))) throw damage.add(hash, problem);
      damage.remove(hash);
    },
    openWriter: () => blobWriter({ root, pathOf, temporary, pins, damage, diskSpace, afterSweeps }),
    /**
     * Removes blobs that `needed` does not name and no open writer has pinned, and files that a crash left. Calls `needed` once,
     * at the beginning. A writer that closes during the sweep keeps its pins until the end.
     * @returns how many files were removed
     */
    async sweep(needed: () => Iterable<string> | Promise<Iterable<string>>): Promise<number> {
      const running = sweepAll(needed);
      sweeps.add(running);
      try {
        return await running;
      } finally {
        sweeps.delete(running);
      }
    },
  };
};

export type Blobs = ReturnType<typeof openBlobs>;

/** Enough of the store to read blobs. */
export type BlobSource = Pick<Blobs, "pathOf" | "damage" | "repair">;
