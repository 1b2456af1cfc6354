import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { inheritOwner } from "../../lib/ownership.ts";
import type { Log, LogFiles } from "./log.ts";
import type { BlobsUrl } from "../../lib/blobs-url.ts";
import { openObjectStore } from "../../protocols/s3/object-store.ts";

/** The storage of snapshots' parts: the engine's `files`, or object storage, which has no size limit. */
export type SnapshotStore = Pick<LogFiles, "put" | "get" | "list" | "remove">;

/** The parts of a snapshot. As JSON it is the `reference` that the engine keeps. */
export interface SnapshotParts {
  readonly store: "engine" | "objects";
  /** Names of parts begin with it: the store, the log, the position and who made it. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The size of all parts together. */
  readonly compressed: number;
  /** When it was made, in milliseconds UTC. */
  readonly madeAt: number;
}

/** Parts are missing or damaged: a newer snapshot may have replaced this one while it was loaded. */
export class SnapshotDamaged extends Error {
  override name = "SnapshotDamaged";
}

/** Below 1 MiB even if zstd cannot compress it (ZSTD_COMPRESSBOUND adds a 256th). */
const PART_BYTES = 1_044_480;
/** Fast: level 3 takes twice the time for 7 % less. */
const LEVEL = 1;
const PARALLEL = 4;

const decompress = promisify(zstdDecompress);

/** Where all snapshots are. */
export const SNAPSHOTS = "snapshots/";
const NAME = /^snapshots\/[0-9a-f-]{36}\/[0-9a-f-]{36}\/[0-9]{16}\.[\w-]{1,64}$/;

/** Where all snapshots of a log are. The store's id keeps those of stores apart that share a bucket. */
export const snapshotsOfLog = (storeId: string, log: string): string => `${SNAPSHOTS}${storeId}/${log}`;

export const snapshotName = (place: string, position: number, node: string): string =>
  `${place}/${String(position).padStart(16, "0")}.${node}`;

const partName = (name: string, index: number): string => `${name}/${String(index).padStart(6, "0")}`;

/** @throws SnapshotDamaged */
export const parseReference = (reference: string): SnapshotParts => {
  try {
    const parts = JSON.parse(reference) as SnapshotParts;
    const isValid =
      ["engine", "objects"].includes(parts.store) &&
      NAME.test(parts.name) &&
      Number.isSafeInteger(parts.bytes) &&
      Number.isSafeInteger(parts.compressed) &&
      Number.isSafeInteger(parts.madeAt) &&
      /^[0-9a-f]{64}$/.test(parts.sha256);
    if (isValid) return parts;
  } catch {
    // As below.
  }
  throw new SnapshotDamaged("the engine's reference to the snapshot is damaged");
};

export interface SnapshotOptions {
  /** Object storage for snapshots; without one they are in the engine. */
  objects?: SnapshotStore | undefined;
  signal?: AbortSignal | undefined;
  /** Called with how many bytes of the database have been sent or loaded. */
  onProgress?: ((bytes: number, of: number) => void) | undefined;
}

/** The first byte of each part, in the groups that are transferred concurrently. */
function* groupsOf(bytes: number): Generator<number[]> {
  const step = PARALLEL * PART_BYTES;
  for (let first = 0; first < bytes; first += step)
    yield Array.from({ length: PARALLEL }, (_, index) => first + index * PART_BYTES).filter(
      (offset) => offset < bytes,
    );
}

const readPart = async (file: FileHandle, offset: number, bytes: number): Promise<Uint8Array> => {
  const part = new Uint8Array(Math.min(PART_BYTES, bytes - offset));
  for (let at = 0; at < part.length;) {
    const { bytesRead } = await file.read(part, at, part.length - at, offset + at);
    if (bytesRead === 0) throw new Error("the copy of the database was truncated while it was read");
    at += bytesRead;
  }
  return part;
};

export const putSnapshot = async (
  path: string,
  name: string,
  { files }: Log,
  { objects, signal, onProgress }: SnapshotOptions,
): Promise<SnapshotParts> => {
  const store = objects ?? files;
  await using file = await open(path, "r");
  const { size: bytes } = await file.stat();
  const hash = createHash("sha256");
  let [compressed, sent] = [0, 0];
  for (const offsets of groupsOf(bytes)) {
    signal?.throwIfAborted();
    const parts = await Promise.all(
      offsets.map(async (offset) => ({ offset, part: await readPart(file, offset, bytes) })),
    );
    for (const { part } of parts) hash.update(part);
    await Promise.all(
      parts.map(async ({ offset, part }) => {
        const content = await Bun.zstdCompress(part, { level: LEVEL });
        compressed += content.length;
        sent += part.length;
        await store.put(partName(name, offset / PART_BYTES), content);
      }),
    );
    onProgress?.(sent, bytes);
  }
  const sha256 = hash.digest("hex");
  return { store: objects ? "objects" : "engine", name, bytes, sha256, compressed, madeAt: Date.now() };
};

export const hasAllParts = async (
  { name, bytes }: SnapshotParts,
  { list }: SnapshotStore,
): Promise<boolean> => (await list(`${name}/`)).length === Math.ceil(bytes / PART_BYTES);

const getPart = async (
  { name, bytes }: SnapshotParts,
  store: SnapshotStore,
  offset: number,
): Promise<Uint8Array> => {
  const content = await store.get(partName(name, offset / PART_BYTES));
  if (!content) throw new SnapshotDamaged("a part of the snapshot is missing");
  const part = await decompress(content, { maxOutputLength: PART_BYTES }).catch((error: unknown) => {
    throw new SnapshotDamaged("a part of the snapshot is damaged", { cause: error });
  });
  if (part.length === Math.min(PART_BYTES, bytes - offset)) return part;
  throw new SnapshotDamaged("a part of the snapshot has another size");
};

/** Writes the database of a snapshot to a new file, for this user only. @throws SnapshotDamaged */
export const getSnapshot = async (
  parts: SnapshotParts,
  store: SnapshotStore,
  path: string,
  { signal, onProgress }: SnapshotOptions,
): Promise<void> => {
  await using file = await open(path, "wx", 0o600);
  inheritOwner(path);
  const hash = createHash("sha256");
  let received = 0;
  for (const offsets of groupsOf(parts.bytes)) {
    signal?.throwIfAborted();
    const contents = await Promise.all(offsets.map((offset) => getPart(parts, store, offset)));
    for (const content of contents) {
      hash.update(content);
      await file.writeFile(content);
      received += content.length;
    }
    onProgress?.(received, parts.bytes);
  }
  if (hash.digest("hex") !== parts.sha256) throw new SnapshotDamaged("the snapshot's SHA-256 differs");
};

/** The prefix of the snapshots of this one's store: object storage may also contain those of other stores. */
export const snapshotsBeside = (name: string): string => `${dirname(dirname(name))}/`;

/** Removes the parts below a prefix, unless their snapshot is kept. */
export const removeSnapshots = async (
  store: SnapshotStore,
  prefix: string,
  isKept: (name: string) => boolean,
): Promise<void> => {
  const parts = await store.list(prefix);
  await store.remove(parts.filter((part) => !isKept(dirname(part))));
};

/** A part is smaller: a larger object is foreign. */
const MAX_PART_BYTES = 2 ** 20;

const joinParts = async (parts: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> => {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > MAX_PART_BYTES) return undefined;
    found.push(part);
  }
  return Buffer.concat(found);
};

/** Snapshots next to the files of sites, in the object store of BLOBS_URL. @throws OperatorError without keys */
export const snapshotObjects = (url: BlobsUrl | undefined): SnapshotStore | undefined => {
  if (!url) return undefined;
  const store = openObjectStore(url);
  return {
    put: (name, content) => store.put(name, new Uint8Array(content)),
    async get(name) {
      const parts = await store.get(name);
      return parts && joinParts(parts);
    },
    async list(prefix) {
      const names: string[] = [];
      for await (const { name } of store.list(prefix)) names.push(name);
      return names;
    },
    async remove(names) {
      for (const name of names) await store.remove(name);
    },
  };
};
