import { existsSync, lstatSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { syncPath } from "../lib/durable.ts";
import { inheritOwner, makeOwned } from "../lib/ownership.ts";
import { syncFileSystem, writeAll } from "./disk.ts";
import type { DamagedBlobs } from "./damaged-blobs.ts";
import type { BlobPins } from "./blob-pins.ts";
import type { DiskSpace } from "./disk-space.ts";
import { blobProblem } from "./blob-check.ts";
import type { Temporary } from "./temporary-files.ts";

/** What a stored file is known by. */
export interface Stored {
  /** SHA-256 of the content, hexadecimal. */
  hash: string;
  /** Bytes. */
  size: number;
}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** One deploy's way into the store. Until it is closed, nothing that it put is swept. */
export interface BlobWriter {
  /**
   * Takes the content, once; a content that throws leaves nothing. It is in the store when `flush` has answered.
   * @throws NoRoom
   */
  put(content: Content): Promise<Stored>;
  /**
   * Takes a file that `write` writes by itself where it is told to, and whose hash it says; undefined: it wrote none.
   * Answers what `write` did.
   * @param most bytes that the file may have @throws NoRoom
   */
  adopt(write: (file: string) => Promise<string | undefined>, most: number): Promise<string | undefined>;
  /** Keeps a blob from sweeps as if it had been put, if the store has it whole. */
  pin(hash: string): Promise<boolean>;
  /** Where what was put can be read, before the flush too. */
  pathOf(hash: string): Promise<string>;
  /** When this answers, all that was put is in the store and on disk, its names too. */
  flush(): Promise<void>;
  /** Lets go of what was put: to be called once what needs it is recorded. */
  close(): void;
  /** Closes, and removes what this writer alone brought. */
  discard(): void;
}

/** From so many files on, asking the system once for all is worth a process. */
const MANY = 100;
/** After so many files others have their turn. */
const TURN = 100;

export interface WriterSettings {
  root: string;
  pathOf(hash: string): string;
  temporary: Temporary;
  holds: BlobPins;
  damage: DamagedBlobs;
  room: DiskSpace;
  /** Calls back when no sweep is running: at once, or when those that are have ended. */
  afterSweeps(then: () => void): void;
}

/** Opens a way into the store: what is put waits in `temporary` for the flush. */
export const openWriter = ({
  root,
  pathOf,
  temporary,
  holds,
  damage,
  room,
  afterSweeps,
}: WriterSettings): BlobWriter => {
  const self = Symbol("writer");
  const held = new Set<string>();
  const shards = new Set<string>();
  /** The temporary names of what was put, by hash. */
  const written = new Map<string, Promise<string>>();
  const shardOf = (hash: string) => `${root}/${hash.slice(0, 2)}`;
  temporary.make();

  /** A damaged blob is replaced as if it were missing. */
  const isWhole = async (hash: string): Promise<boolean> => {
    const problem = await blobProblem(pathOf(hash), hash);
    if (problem !== undefined) damage.add(hash, problem);
    return problem === undefined;
  };

  /** Whether the store has a blob, by hash. Each is checked once. */
  const looked = new Map<string, Promise<boolean>>();

  /** Holds the blob in the same step as it looks, so that no sweep comes between. */
  const look = (hash: string): Promise<boolean> => {
    const found = existsSync(pathOf(hash));
    holds.pin(hash, self, found);
    held.add(hash);
    shards.add(shardOf(hash));
    return found ? isWhole(hash) : Promise.resolve(false);
  };

  const isThere = (hash: string): Promise<boolean> => {
    const known = looked.get(hash) ?? look(hash);
    looked.set(hash, known);
    return known;
  };

  const putBytes = async (content: Uint8Array): Promise<Stored> => {
    const hash = Bun.SHA256.hash(content, "hex");
    // The same content may have come again meanwhile.
    if (!(await isThere(hash)) && !written.has(hash)) {
      room.assertFree(content.length);
      const writing = temporary.write((handle) => writeAll(handle, content));
      // Known as written before the first await: the same content may come again at once.
      written.set(hash, writing);
      await writing;
    }
    return { hash, size: content.length };
  };

  /** Keeps a temporary file if its blob is missing. */
  const keepOrDrop = async (hash: string, name: string): Promise<void> => {
    if ((await isThere(hash)) || written.has(hash)) temporary.drop(name);
    else written.set(hash, Promise.resolve(name));
  };

  const putStream = async (content: AsyncIterable<Uint8Array>): Promise<Stored> => {
    const hasher = new Bun.CryptoHasher("sha256");
    let size = 0;
    const name = await temporary.write(async (handle) => {
      for await (const chunk of content) {
        room.assertFree(chunk.length);
        hasher.update(chunk);
        writeAll(handle, chunk);
        size += chunk.length;
      }
    });
    const hash = hasher.digest("hex");
    await keepOrDrop(hash, name);
    return { hash, size };
  };

  const adopt: BlobWriter["adopt"] = async (write, most) => {
    room.assertFree(most);
    const name = temporary.reserve();
    try {
      const hash = await write(temporary.pathOf(name));
      if (hash === undefined) temporary.drop(name);
      else await keepOrDrop(hash, name);
      return hash;
    } catch (error) {
      temporary.drop(name);
      throw error;
    }
  };

  /** Moves a durable file into its place. */
  const settle = (name: string, hash: string): void => {
    inheritOwner(temporary.pathOf(name));
    // No file takes the place of a directory.
    if (lstatSync(pathOf(hash), { throwIfNoEntry: false })?.isDirectory())
      rmSync(pathOf(hash), { recursive: true });
    renameSync(temporary.pathOf(name), pathOf(hash));
    temporary.release(name);
    written.delete(hash);
    looked.set(hash, Promise.resolve(true));
    damage.remove(hash);
  };

  /** Contents before names: what has its name is whole, whenever the machine stops. */
  const settleAll = async (isDurable: boolean): Promise<void> => {
    for (const shard of shards) makeOwned(shard);
    let settled = 0;
    for (const [hash, writing] of written) {
      const name = await writing;
      if (!isDurable) await syncPath(temporary.pathOf(name));
      settle(name, hash);
      if (++settled % TURN === 0) await Bun.sleep(0);
    }
  };

  const syncNames = async (): Promise<void> => {
    for (const shard of shards) await syncPath(shard);
    await syncPath(root);
    // The first deploy created `root`.
    await syncPath(dirname(root));
  };

  /** Its marks go at once, its holds when no sweep is running that might not know yet what needs them. */
  const close = () => {
    const hashes = [...held];
    held.clear();
    for (const hash of hashes) holds.disown(hash, self);
    // A file that cannot be removed goes when the next start sweeps.
    for (const name of written.values()) void name.then(temporary.drop).catch(() => {});
    written.clear();
    afterSweeps(() => hashes.forEach(holds.unpin));
  };

  return {
    put: (content) => (content instanceof Uint8Array ? putBytes(content) : putStream(content)),
    adopt,
    pin: async (hash) => (await isThere(hash)) || written.has(hash),
    async pathOf(hash) {
      const name = await written.get(hash);
      return name === undefined ? pathOf(hash) : temporary.pathOf(name);
    },
    async flush() {
      const isMany = written.size >= MANY;
      await settleAll(isMany && (await syncFileSystem(root)));
      if (!(isMany && (await syncFileSystem(root)))) await syncNames();
      shards.clear();
    },
    close,
    discard() {
      for (const hash of held)
        if (holds.isOwnedBy(hash, self) && existsSync(pathOf(hash))) unlinkSync(pathOf(hash));
      close();
    },
  };
};
