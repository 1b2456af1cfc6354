import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DamagedBlobs, damagedBlobs } from "./damaged-blobs.ts";
import { blobPins } from "./blob-pins.ts";
import { type DiskSpace, UNLIMITED_SPACE } from "./disk-space.ts";
import { InvalidHash, isHash } from "./blob-check.ts";
import { temporaryFiles } from "./temporary-files.ts";
import { type BlobWriter, openWriter } from "./blob-writer.ts";

export type { BlobWriter, Content, Stored } from "./blob-writer.ts";

/** Files by the SHA-256 of their content, each stored once, in a directory that one process owns. */
export interface Blobs {
  /** @throws NotAHash for anything but a hash: its path could lead outside of the store */
  pathOf(hash: string): string;
  damage: DamagedBlobs;
  openWriter(): BlobWriter;
  /**
   * Removes what neither `needed` names nor an open writer has put, and what a crash left half written. `needed` is asked
   * once, at the beginning; a writer that closes meanwhile holds its files to the end. Answers how many files went.
   */
  sweep(needed: () => Iterable<string> | Promise<Iterable<string>>): Promise<number>;
}

const SHARD = /^[\da-f]{2}$/;
const REST = /^[\da-f]{62}$/;

/**
 * Opens the store in `root`, which the first writer makes if it is not there.
 * @param room what writers may take
 */
export const openBlobs = (
  root: string,
  { room = UNLIMITED_SPACE, damage = damagedBlobs() }: { room?: DiskSpace; damage?: DamagedBlobs } = {},
): Blobs => {
  const temporary = temporaryFiles(join(root, "tmp"));
  const holds = blobPins();
  const sweeps = new Set<Promise<unknown>>();

  const pathOf = (hash: string) => {
    if (!isHash(hash))
      throw new InvalidHash(`${JSON.stringify(hash.slice(0, 80))} is not the hash of a file`);
    return `${root}/${hash.slice(0, 2)}/${hash.slice(2)}`;
  };

  const afterSweeps = (then: () => void) => {
    if (sweeps.size === 0) then();
    else void Promise.allSettled(sweeps).then(then);
  };

  const sweepShard = (shard: string, keep: ReadonlySet<string>): number => {
    // Looked at and removed in one step: a writer that wants the file holds it before or finds it gone.
    const gone = readdirSync(join(root, shard)).filter(
      (rest) => REST.test(rest) && !keep.has(shard + rest) && !holds.isPinned(shard + rest),
    );
    for (const rest of gone) rmSync(join(root, shard, rest), { recursive: true });
    return gone.length;
  };

  const sweepAll = async (needed: () => Iterable<string> | Promise<Iterable<string>>): Promise<number> => {
    if (!existsSync(root)) return 0;
    const keep = new Set(await needed());
    damage.retainOnly(keep);
    let gone = 0;
    const shards = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && SHARD.test(entry.name))
      .map(({ name }) => name);
    for (const shard of shards) {
      gone += sweepShard(shard, keep);
      await Bun.sleep(0);
    }
    return gone + temporary.sweep();
  };

  return {
    pathOf,
    damage,
    openWriter: () => openWriter({ root, pathOf, temporary, holds, damage, room, afterSweeps }),
    async sweep(needed) {
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
