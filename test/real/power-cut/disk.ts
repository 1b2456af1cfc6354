import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Random } from "../../support/random.ts";
import type { Operation } from "./recording.ts";

/** A disk writes these whole. */
const SECTOR = 512;

/** Bytes of a file. All bytes of `buffer` from `size` on are 0. */
class Content {
  buffer = new Uint8Array(0);
  size = 0;

  copy(): Content {
    const copy = new Content();
    copy.buffer = this.buffer.slice(0, this.size);
    copy.size = this.size;
    return copy;
  }

  resize(size: number): void {
    if (size < this.size) this.buffer.fill(0, size, this.size);
    if (size > this.buffer.length) {
      const buffer = new Uint8Array(Math.max(size, this.buffer.length * 2));
      buffer.set(this.buffer);
      this.buffer = buffer;
    }
    this.size = size;
  }

  write(offset: number, bytes: Uint8Array): void {
    if (offset + bytes.length > this.size) this.resize(offset + bytes.length);
    this.buffer.set(bytes, offset);
  }
}

/** A change to the content of a file that no sync has made durable. */
type Change = { position: number } & ({ offset: number; bytes: Uint8Array } | { size: number });

interface File {
  durable: Content;
  pending: Change[];
}

/** Names in a directory. `live` is what programs see. */
interface Directory {
  live: Map<string, Node>;
  durable: Map<string, Node>;
}

type Node = File | Directory;

const isDirectory = (node: Node): node is Directory => "live" in node;
const newFile = (): File => ({ durable: new Content(), pending: [] });
const newDirectory = (): Directory => ({ live: new Map(), durable: new Map() });

const readFile = (path: string): File => {
  const file = newFile();
  file.durable.write(0, readFileSync(path));
  return file;
};
const readDirectory = (path: string): Directory => {
  const durable = new Map<string, Node>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    durable.set(entry.name, entry.isDirectory() ? readDirectory(below) : readFile(below));
  }
  return { durable, live: new Map(durable) };
};

/** Names that change together: a rename removes one and sets the other. A name without a node is removed. */
interface NameChange {
  position: number;
  names: { directory: Directory; name: string; node: Node | undefined }[];
}

const apply = (content: Content, change: Change): void => {
  if ("size" in change) content.resize(change.size);
  else content.write(change.offset, change.bytes);
};

const setName = (names: Map<string, Node>, name: string, node: Node | undefined): void => {
  if (node) names.set(name, node);
  else names.delete(name);
};

/**
 * What a power cut keeps of the changes that no sync has made durable. `none`; `all`, as a kill; `first`: those until a moment,
 * with that of the moment torn; `last`: only the newest; `some`: any of them; `torn`: any of their sectors.
 */
export const CUTS = ["none", "all", "first", "last", "some", "torn"] as const;
export type Cut = (typeof CUTS)[number];

/** Decides for each change whether a cut keeps it. */
const keeper = (cut: Cut, positions: readonly number[], random: Random) => {
  const share = random.real();
  const moment = positions[random(Math.max(1, positions.length))] ?? 0;
  const newest = positions.reduce((one, other) => Math.max(one, other), 0);
  const isKept = (position: number): boolean => {
    if (cut === "first") return position <= moment;
    if (cut === "last") return position === newest;
    return cut === "all" || cut === "torn" || (cut === "some" && random.real() < share);
  };
  /** The parts of a change that are on disk. Each ends where a sector of the file ends. */
  const partsOf = (change: Change): Change[] => {
    if (!isKept(change.position)) return [];
    const isTorn = cut === "torn" || (cut === "first" && change.position === moment);
    if ("size" in change) return isTorn && random.real() >= share ? [] : [change];
    if (!isTorn) return [change];
    const parts: Change[] = [];
    for (let from = 0; from < change.bytes.length;) {
      const to = Math.min(change.bytes.length, from + SECTOR - ((change.offset + from) % SECTOR));
      if (random.real() < share)
        parts.push({
          position: change.position,
          offset: change.offset + from,
          bytes: change.bytes.subarray(from, to),
        });
      from = to;
    }
    return parts;
  };
  return {
    isNameKept: ({ position }: NameChange) => (cut === "torn" ? random.real() < share : isKept(position)),
    partsOf,
  };
};

/**
 * A disk that keeps after a power cut only what it must. A sync of a file makes its content durable, and no name. A sync of a
 * directory makes its names durable. Other changes may be lost, in any order and in parts: a sector that two changes wrote has
 * the old content, or that of either. Only a rename is atomic.
 * @param root the directory of all paths
 * @param ignores true for a path whose syncs do nothing, as if the program did not call them
 * @param before a copy of the durable files before the first operation
 */
export const powerCutDisk = (
  root: string,
  { ignores = () => false, before }: { ignores?: (path: string) => boolean; before?: string } = {},
) => {
  const top = before === undefined ? newDirectory() : readDirectory(before);
  const unsynced = new Set<File>();
  let pendingNames: NameChange[] = [];
  let position = 0;

  const nodeAt = (path: string): Node | undefined => {
    let node: Node | undefined = top;
    for (const name of relative(root, path).split("/").filter(Boolean))
      node = node && isDirectory(node) ? node.live.get(name) : undefined;
    return node;
  };
  const fileAt = (path: string): File => {
    const node = nodeAt(path);
    if (!node || isDirectory(node)) throw new Error(`operation ${position}: ${path} is not a file`);
    return node;
  };
  const placeOf = (path: string) => {
    const directory = nodeAt(dirname(path));
    if (!directory || !isDirectory(directory))
      throw new Error(`operation ${position}: no directory for ${path}`);
    return { directory, name: relative(dirname(path), path) };
  };
  const rename = (...names: NameChange["names"]) => {
    for (const { directory, name, node } of names) setName(directory.live, name, node);
    pendingNames.push({ position, names });
  };
  const change = (path: string, made: { offset: number; bytes: Uint8Array } | { size: number }) => {
    const file = fileAt(path);
    file.pending.push({ position, ...made });
    unsynced.add(file);
  };
  const syncFile = (file: File, covers: number) => {
    const isCovered = (one: Change) => one.position < covers;
    for (const one of file.pending.filter(isCovered)) apply(file.durable, one);
    file.pending = file.pending.filter((one) => !isCovered(one));
    if (file.pending.length === 0) unsynced.delete(file);
  };
  const syncNames = (isSynced: (directory: Directory) => boolean, covers: number) => {
    const isCovered = (one: NameChange) =>
      one.position < covers && one.names.some(({ directory }) => isSynced(directory));
    /** The last change of each name that is durable now: no earlier one can come after it. */
    const last = new Map<Directory, Map<string, number>>();
    for (const { position, names } of pendingNames.filter(isCovered))
      for (const { directory, name, node } of names) {
        setName(directory.durable, name, node);
        const changed = last.get(directory) ?? new Map<string, number>();
        last.set(directory, changed.set(name, position));
      }
    if (last.size === 0) return;
    const isLater = (position: number) => (one: NameChange["names"][number]) =>
      position > (last.get(one.directory)?.get(one.name) ?? -1);
    pendingNames = pendingNames.flatMap((one) => {
      const names = isCovered(one) ? [] : one.names.filter(isLater(one.position));
      return names.length > 0 ? [{ ...one, names }] : [];
    });
  };

  const run = (operation: Operation): void => {
    switch (operation.kind) {
      case "write":
        return change(operation.path, operation);
      case "truncate":
        return change(operation.path, { size: operation.size });
      case "copy": {
        const { from, path, fromOffset, offset, length } = operation;
        const content = fileAt(from).durable.copy();
        for (const one of fileAt(from).pending) apply(content, one);
        return change(path, { offset, bytes: content.buffer.slice(fromOffset, fromOffset + length) });
      }
      case "create":
      case "mkdir":
        if (nodeAt(operation.path)) return;
        return rename({
          ...placeOf(operation.path),
          node: operation.kind === "create" ? newFile() : newDirectory(),
        });
      case "remove":
        return rename({ ...placeOf(operation.path), node: undefined });
      case "rename":
        return rename(
          { ...placeOf(operation.path), node: nodeAt(operation.from) },
          { ...placeOf(operation.from), node: undefined },
        );
      case "link":
        return rename({ ...placeOf(operation.path), node: nodeAt(operation.from) });
      case "sync": {
        const node = nodeAt(operation.path);
        if (!node || ignores(operation.path)) return;
        if (isDirectory(node)) return syncNames((directory) => directory === node, operation.covers);
        return syncFile(node, operation.covers);
      }
      case "syncAll":
        for (const file of unsynced) syncFile(file, operation.covers);
        return syncNames(() => true, operation.covers);
      case "mark":
        return;
    }
  };

  return {
    run(operation: Operation): void {
      run(operation);
      position++;
    },
    /** Writes what a power cut would leave now into the empty directory `place`. */
    writeImage(place: string, cut: Cut, random: Random): void {
      const positions = [...unsynced].flatMap(({ pending }) => pending.map((one) => one.position));
      positions.push(...pendingNames.map((one) => one.position));
      const { isNameKept, partsOf } = keeper(cut, positions, random);
      const kept = new Map<Directory, Map<string, Node>>();
      for (const { names } of pendingNames.filter(isNameKept))
        for (const { directory, name, node } of names) {
          const changed = kept.get(directory) ?? new Map(directory.durable);
          setName(changed, name, node);
          kept.set(directory, changed);
        }
      const write = (directory: Directory, path: string) => {
        for (const [name, node] of kept.get(directory) ?? directory.durable) {
          const below = join(path, name);
          if (isDirectory(node)) {
            mkdirSync(below, { mode: 0o700 });
            write(node, below);
            continue;
          }
          const content = node.durable.copy();
          for (const one of node.pending.flatMap(partsOf)) apply(content, one);
          writeFileSync(below, content.buffer.subarray(0, content.size), { mode: 0o600 });
        }
      };
      write(top, place);
    },
  };
};
