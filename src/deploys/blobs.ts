import {
  closeSync,
  existsSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const syncFile = promisify(fsync);

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
  /** Takes the content, once; a content that throws leaves nothing. It is in the store when `flush` has answered. */
  put(content: Content): Promise<Stored>;
  /** Where what was put can be read, before the flush too. */
  pathOf(hash: string): Promise<string>;
  /** When this answers, all that was put is in the store and on disk, its names too. */
  flush(): Promise<void>;
  /** Lets go of what was put: to be called once what needs it is recorded. */
  close(): void;
  /** Closes, and removes what this writer alone brought. */
  discard(): void;
}

/** Files by the SHA-256 of their content, each stored once, in a directory that one process owns. */
export interface Blobs {
  pathOf(hash: string): string;
  begin(): BlobWriter;
  /**
   * Removes what neither `needed` names nor an open writer has put, and what a crash left half written. `needed` is asked
   * once, at the beginning; a writer that closes meanwhile holds its files to the end. Answers how many files went.
   */
  sweep(needed: () => Iterable<string> | Promise<Iterable<string>>): Promise<number>;
}

const SHARD = /^[\da-f]{2}$/;
const REST = /^[\da-f]{62}$/;

/** Makes a file's content, or a directory's names, durable. */
const syncPath = async (path: string): Promise<void> => {
  const handle = openSync(path, "r");
  try {
    await syncFile(handle);
  } finally {
    closeSync(handle);
  }
};

/** From so many files on, asking the system once for all is worth a process. */
const MANY = 100;

/**
 * Asks the system to write out the whole file system at once: the `fsync` of each file, which is what counts, then finds
 * nothing left to do (for 10,000 small files 0.3 s in place of 2 s). Where there is no such program, nothing is lost.
 */
const syncAll = async (root: string): Promise<void> => {
  const program = Bun.which("sync");
  if (program) await Bun.spawn([program, "-f", root], { stdio: ["ignore", "ignore", "ignore"] }).exited;
};

const writeAll = (handle: number, chunk: Uint8Array): void => {
  for (let at = 0; at < chunk.length;) at += writeSync(handle, chunk, at);
};

/** The store in `root`, which the first writer makes if it is not there. */
export const openBlobs = (root: string): Blobs => {
  const temporary = join(root, "tmp");
  const writing = new Set<string>();
  const holds = new Map<string, number>();
  /** What one open writer brought, and no other has wanted since. */
  const fresh = new Map<string, symbol>();
  const sweeps = new Set<Promise<unknown>>();

  const pathOf = (hash: string) => join(root, hash.slice(0, 2), hash.slice(2));

  const release = (hash: string) => {
    const left = (holds.get(hash) ?? 1) - 1;
    if (left > 0) holds.set(hash, left);
    else holds.delete(hash);
  };

  /** Writes a file of its own below `tmp` and says its name; one that fails is not left there. */
  const writeTemporary = async (write: (handle: number) => Promise<void> | void): Promise<string> => {
    const name = crypto.randomUUID();
    writing.add(name);
    const handle = openSync(join(temporary, name), "wx", 0o600);
    try {
      await write(handle);
      return name;
    } catch (error) {
      dropTemporary(name);
      throw error;
    } finally {
      closeSync(handle);
    }
  };

  const dropTemporary = (name: string): void => {
    rmSync(join(temporary, name), { force: true });
    writing.delete(name);
  };

  /** Puts a written file on disk and into its place. */
  const settle = async (name: string, hash: string): Promise<void> => {
    await syncPath(join(temporary, name));
    mkdirSync(join(root, hash.slice(0, 2)), { recursive: true, mode: 0o700 });
    renameSync(join(temporary, name), pathOf(hash));
    writing.delete(name);
  };

  const begin = (): BlobWriter => {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    const self = Symbol("writer");
    const held = new Set<string>();
    const shards = new Set<string>();
    /** What waits in `tmp` for the flush, by hash. */
    const written = new Map<string, Promise<string>>();

    const hold = (hash: string) => {
      if (held.has(hash)) return;
      held.add(hash);
      const others = holds.get(hash) ?? 0;
      holds.set(hash, others + 1);
      if (others > 0) fresh.delete(hash);
      else if (!existsSync(pathOf(hash))) fresh.set(hash, self);
    };

    /** Holds the hash before it looks, so that no sweep comes between. */
    const isThere = (hash: string): boolean => {
      hold(hash);
      shards.add(hash.slice(0, 2));
      return written.has(hash) || existsSync(pathOf(hash));
    };

    const putBytes = async (content: Uint8Array): Promise<Stored> => {
      const hash = Bun.SHA256.hash(content, "hex");
      if (!isThere(hash)) {
        const writing = writeTemporary((handle) => writeAll(handle, content));
        // Known as written before the first await: the same content may come again at once.
        written.set(hash, writing);
        await writing;
      }
      return { hash, size: content.length };
    };

    const putStream = async (content: AsyncIterable<Uint8Array>): Promise<Stored> => {
      const hasher = new Bun.CryptoHasher("sha256");
      let size = 0;
      const name = await writeTemporary(async (handle) => {
        for await (const chunk of content) {
          hasher.update(chunk);
          writeAll(handle, chunk);
          size += chunk.length;
        }
      });
      const hash = hasher.digest("hex");
      if (isThere(hash)) dropTemporary(name);
      else written.set(hash, Promise.resolve(name));
      return { hash, size };
    };

    /** Its marks go at once, its holds when no sweep is running that might not know yet what needs them. */
    const close = () => {
      const hashes = [...held];
      held.clear();
      for (const hash of hashes) if (fresh.get(hash) === self) fresh.delete(hash);
      for (const name of written.values()) void name.then(dropTemporary, () => {});
      written.clear();
      const letGo = () => hashes.forEach(release);
      if (sweeps.size === 0) letGo();
      else void Promise.allSettled(sweeps).then(letGo);
    };

    return {
      put: (content) => (content instanceof Uint8Array ? putBytes(content) : putStream(content)),
      async pathOf(hash) {
        const name = await written.get(hash);
        return name === undefined ? pathOf(hash) : join(temporary, name);
      },
      async flush() {
        if (written.size >= MANY) await syncAll(root);
        for (const [hash, name] of written) {
          await settle(await name, hash);
          written.delete(hash);
        }
        for (const shard of shards) await syncPath(join(root, shard));
        await syncPath(root);
        shards.clear();
      },
      close,
      discard() {
        for (const hash of held)
          if (fresh.get(hash) === self && existsSync(pathOf(hash))) unlinkSync(pathOf(hash));
        close();
      },
    };
  };

  const sweepShard = (shard: string, keep: ReadonlySet<string>): number => {
    // Looked at and removed in one step: a writer that wants the file holds it before or finds it gone.
    const gone = readdirSync(join(root, shard)).filter(
      (rest) => REST.test(rest) && !keep.has(shard + rest) && !holds.has(shard + rest),
    );
    for (const rest of gone) unlinkSync(join(root, shard, rest));
    return gone.length;
  };

  const sweepAll = async (needed: () => Iterable<string> | Promise<Iterable<string>>): Promise<number> => {
    if (!existsSync(temporary)) return 0;
    const keep = new Set(await needed());
    let gone = 0;
    for (const shard of readdirSync(root).filter((name) => SHARD.test(name))) {
      gone += sweepShard(shard, keep);
      await Bun.sleep(0);
    }
    const left = readdirSync(temporary).filter((name) => !writing.has(name));
    for (const name of left) rmSync(join(temporary, name), { force: true });
    return gone + left.length;
  };

  return {
    pathOf,
    begin,
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
