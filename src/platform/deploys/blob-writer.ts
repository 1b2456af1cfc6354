import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncPath } from "../../lib/durable.ts";
import { inheritOwner, makeOwnedDirectories } from "../../lib/ownership.ts";
import { type DamagedBlobs, blobProblem } from "./blob-check.ts";
import { type DiskSpace, syncFileSystem, writeAll } from "./disk-space.ts";

/** Counts which open writers need which blobs. A sweep keeps pinned blobs. */
export const blobPins = () => {
  const counts = new Map<string, number>();
  const owners = new Map<string, symbol>();
  const isOwnedBy = (hash: string, writer: symbol) => owners.get(hash) === writer;

  return {
    /** True if this writer stored the blob first, and no other writer has pinned it since. */
    isOwnedBy,
    isPinned: (hash: string) => counts.has(hash),
    /** @param exists true if the store had the blob before */
    pin(hash: string, writer: symbol, exists: boolean): void {
      const others = counts.get(hash) ?? 0;
      counts.set(hash, others + 1);
      if (others > 0) owners.delete(hash);
      else if (!exists) owners.set(hash, writer);
    },
    unpin(hash: string): void {
      const left = (counts.get(hash) ?? 1) - 1;
      if (left > 0) counts.set(hash, left);
      else counts.delete(hash);
    },
    disown(hash: string, writer: symbol): void {
      if (isOwnedBy(hash, writer)) owners.delete(hash);
    },
  };
};

type BlobPins = ReturnType<typeof blobPins>;

/**
 * Files during a write, in a separate directory. Any other file there was left by a crash.
 * @param maxAgeMs if other processes write there too: younger files may be theirs
 */
export const temporaryFiles = (directory: string, maxAgeMs = -Infinity) => {
  const writing = new Set<string>();
  const pathOf = (name: string) => `${directory}/${name}`;

  const drop = (name: string): void => {
    rmSync(pathOf(name), { force: true });
    writing.delete(name);
  };

  /** A name for a file that the caller writes, and then drops or releases. */
  const reserve = (): string => {
    const name = crypto.randomUUID();
    writing.add(name);
    return name;
  };

  return {
    pathOf,
    drop,
    reserve,
    makeDirectory: () => makeOwnedDirectories(directory),
    /** Forgets a file that the caller has moved. */
    release: (name: string) => void writing.delete(name),
    /** Writes a file and returns its name. If `write` fails, the file is removed. */
    async write(write: (handle: number) => Promise<void> | void): Promise<string> {
      const name = reserve();
      const handle = openSync(pathOf(name), "wx", 0o600);
      try {
        await write(handle);
        return name;
      } catch (error) {
        drop(name);
        throw error;
      } finally {
        closeSync(handle);
      }
    },
    /** Removes files that a crash left. @returns how many */
    sweep(): number {
      if (!existsSync(directory)) return 0;
      const before = Date.now() - maxAgeMs;
      const isOld = (name: string) =>
        (statSync(pathOf(name), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity) < before;
      const left = readdirSync(directory).filter((name) => !writing.has(name) && isOld(name));
      for (const name of left) rmSync(pathOf(name), { force: true });
      return left.length;
    },
  };
};

type TemporaryFiles = ReturnType<typeof temporaryFiles>;

/** The identity of a stored file. */
export interface Stored {
  /** SHA-256 of the content, hexadecimal. */
  hash: string;
  /** Bytes. */
  size: number;
}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** Writes and hashes content. @returns its name in `temporary` @throws InsufficientSpace */
export const writeHashed = async (
  temporary: TemporaryFiles,
  content: AsyncIterable<Uint8Array>,
  diskSpace: DiskSpace,
): Promise<{ name: string; stored: Stored }> => {
  const hasher = new Bun.CryptoHasher("sha256");
  let size = 0;
  const name = await temporary.write(async (handle) => {
    for await (const chunk of content) {
      diskSpace.assertFree(chunk.length);
      hasher.update(chunk);
      writeAll(handle, chunk);
      size += chunk.length;
    }
  });
  return { name, stored: { hash: hasher.digest("hex"), size } };
};

/** From this many files, one sync of the file system is faster than an fsync of each. */
const MIN_FILES_TO_SYNC_AT_ONCE = 100;
/** The event loop gets a turn after this many files. */
const FILES_PER_TURN = 100;

interface BlobWriterOptions {
  root: string;
  pathOf(hash: string): string;
  temporary: TemporaryFiles;
  pins: BlobPins;
  damage: DamagedBlobs;
  diskSpace: DiskSpace;
  /** Calls `onEnd` when no sweep is running: immediately, or after the running ones. */
  afterSweeps(onEnd: () => void): void;
}

/** Pins the blobs of one writer, and checks once for each whether the store has it whole. */
const pinnedBlobs = ({ root, pathOf, pins, damage }: BlobWriterOptions) => {
  const writer = Symbol("writer");
  const pinned = new Set<string>();
  const shards = new Set<string>();
  const isStored = new Map<string, Promise<boolean>>();

  /** A damaged blob is replaced as if it were missing. */
  const isWhole = async (hash: string): Promise<boolean> => {
    const problem = await blobProblem(pathOf(hash), hash);
    if (problem !== undefined) damage.add(hash, problem);
    return problem === undefined;
  };

  /** Looks and pins in one step, so that no sweep comes between. */
  const pinAndCheck = (hash: string): Promise<boolean> => {
    const exists = existsSync(pathOf(hash));
    pins.pin(hash, writer, exists);
    pinned.add(hash);
    shards.add(`${root}/${hash.slice(0, 2)}`);
    return exists ? isWhole(hash) : Promise.resolve(false);
  };

  return {
    /** The directories of all pinned blobs since the last flush. */
    shards,
    /** Pins the blob. @returns true if the store has it whole */
    pin(hash: string): Promise<boolean> {
      const checked = isStored.get(hash) ?? pinAndCheck(hash);
      isStored.set(hash, checked);
      return checked;
    },
    onStored(hash: string): void {
      isStored.set(hash, Promise.resolve(true));
      damage.remove(hash);
    },
    removeOwn(): void {
      for (const hash of pinned)
        if (pins.isOwnedBy(hash, writer) && existsSync(pathOf(hash))) unlinkSync(pathOf(hash));
    },
    /** @returns a function that removes the pins */
    close(): () => void {
      const hashes = [...pinned];
      pinned.clear();
      for (const hash of hashes) pins.disown(hash, writer);
      return () => hashes.forEach(pins.unpin);
    },
  };
};

/** Moves a durable temporary file to its place in the store. */
export const moveIntoPlace = (file: string, path: string): void => {
  inheritOwner(file);
  // A file cannot replace a directory.
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
  renameSync(file, path);
};

const syncNames = async (root: string, shards: Iterable<string>): Promise<void> => {
  for (const shard of shards) await syncPath(shard);
  await syncPath(root);
  // The first deploy created `root`.
  await syncPath(dirname(root));
};

/**
 * Opens a writer for one deploy. Content waits in a temporary file for `flush`. No sweep removes it before `close`.
 * Every method that writes throws InsufficientSpace.
 */
export const blobWriter = (options: BlobWriterOptions) => {
  const { root, pathOf, temporary, diskSpace, afterSweeps } = options;
  const blobs = pinnedBlobs(options);
  /** The names of temporary files, by the hash of their content. */
  const written = new Map<string, Promise<string>>();
  temporary.makeDirectory();

  /** Keeps a temporary file if its blob is missing. */
  const keepIfMissing = async (hash: string, name: string): Promise<void> => {
    if ((await blobs.pin(hash)) || written.has(hash)) temporary.drop(name);
    else written.set(hash, Promise.resolve(name));
  };

  const putBytes = async (content: Uint8Array): Promise<Stored> => {
    const hash = Bun.SHA256.hash(content, "hex");
    // A concurrent call may have put the same content during the check.
    if (!(await blobs.pin(hash)) && !written.has(hash)) {
      diskSpace.assertFree(content.length);
      const writing = temporary.write((handle) => writeAll(handle, content));
      // Set before the first await: a concurrent call may put the same content.
      written.set(hash, writing);
      await writing;
    }
    return { hash, size: content.length };
  };

  const putStream = async (content: AsyncIterable<Uint8Array>): Promise<Stored> => {
    const { name, stored } = await writeHashed(temporary, content, diskSpace);
    await keepIfMissing(stored.hash, name);
    return stored;
  };

  /** Removes the pins. Call it once a record names the blobs. A running sweep may not see that record: pins stay until it ends. */
  const close = (): void => {
    const unpin = blobs.close();
    // A file that cannot be removed now is removed by the next sweep.
    for (const name of written.values()) void name.then(temporary.drop).catch(() => {});
    written.clear();
    afterSweeps(unpin);
  };

  return {
    /** Reads the content, once. If it throws, nothing is left. */
    put: (content: Content): Promise<Stored> =>
      content instanceof Uint8Array ? putBytes(content) : putStream(content),
    /**
     * Adopts a file that `write` writes to the given path.
     * @param write returns the hash of the written file, or undefined if it wrote nothing
     * @param maxBytes of the file
     * @returns the result of `write`
     */
    async adopt(
      write: (file: string) => Promise<string | undefined>,
      maxBytes: number,
    ): Promise<string | undefined> {
      diskSpace.assertFree(maxBytes);
      const name = temporary.reserve();
      try {
        const hash = await write(temporary.pathOf(name));
        if (hash === undefined) temporary.drop(name);
        else await keepIfMissing(hash, name);
        return hash;
      } catch (error) {
        temporary.drop(name);
        throw error;
      }
    },
    /** Pins a blob that was put before, here or by an earlier deploy. @returns false if the store does not have it whole */
    pin: async (hash: string): Promise<boolean> => (await blobs.pin(hash)) || written.has(hash),
    /** The path from which a blob can be read, before the flush too. */
    async pathOf(hash: string): Promise<string> {
      const name = await written.get(hash);
      return name === undefined ? pathOf(hash) : temporary.pathOf(name);
    },
    /**
     * Stores all content so far. When it resolves, contents and names are on disk. Contents become durable before names: a file
     * under its name is whole, whenever the machine stops.
     */
    async flush(): Promise<void> {
      const isMany = written.size >= MIN_FILES_TO_SYNC_AT_ONCE;
      const isDurable = isMany && (await syncFileSystem(root));
      for (const shard of blobs.shards) makeOwnedDirectories(shard);
      let moved = 0;
      for (const [hash, writing] of written) {
        const name = await writing;
        if (!isDurable) await syncPath(temporary.pathOf(name));
        moveIntoPlace(temporary.pathOf(name), pathOf(hash));
        temporary.release(name);
        written.delete(hash);
        blobs.onStored(hash);
        if (++moved % FILES_PER_TURN === 0) await Bun.sleep(0);
      }
      if (!(isMany && (await syncFileSystem(root)))) await syncNames(root, blobs.shards);
      blobs.shards.clear();
    },
    close,
    /** Closes, and removes the blobs that only this writer stored. */
    discard(): void {
      blobs.removeOwn();
      close();
    },
  };
};

export type BlobWriter = ReturnType<typeof blobWriter>;
