import { type Cell, type ReadPage, readCell, readKey } from "./record.ts";

/** The first byte of a page (https://sqlite.org/fileformat2.html#b_tree_pages). */
const LEAF = { table: 0x0d, index: 0x0a } as const;
const INTERIOR = { table: 0x05, index: 0x02 } as const;

export type Kind = keyof typeof LEAF;

/** True for the page that begins with the header of the file, "SQLite format 3". No other page begins with either letter. */
export const hasFileHeader = (bytes: Uint8Array): boolean => bytes[0] === 0x53 || bytes[1] === 0x51;

const startOf = (bytes: Uint8Array): number => (hasFileHeader(bytes) ? 100 : 0);

export interface Leaf {
  cells: Cell[];
  /** False if the page shows that it lost cells. */
  isWhole: boolean;
}

/** The free blocks of a page: places and their ends. @returns undefined if their chain is damaged */
const freeBlocks = (view: DataView, start: number): [number, number][] | undefined => {
  const blocks: [number, number][] = [];
  for (let at = view.getUint16(start + 1); at !== 0; at = view.getUint16(at)) {
    const last = blocks.at(-1)?.[1] ?? 0;
    if (at < last || at + 4 > view.byteLength) return undefined;
    const end = at + view.getUint16(at + 2);
    if (end < at + 4 || end > view.byteLength) return undefined;
    blocks.push([at, end]);
  }
  return blocks;
};

/** The positions of a longest strictly ascending subsequence. */
export const longestAscending = (numbers: readonly number[]): number[] => {
  const tails: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [at, number] of numbers.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[tails[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[at] = tails[low - 1];
    tails[low] = at;
  }
  const found: number[] = [];
  for (let at = tails.at(-1); at !== undefined; at = before[at]) found.unshift(at);
  return found;
};

const sizeOf = (ranges: readonly (readonly [number, number])[]): number =>
  ranges.reduce((sum, [from, to]) => sum + to - from, 0);

/**
 * Reads a page as a leaf.
 * @param accepts false for a row that cannot be of the table
 */
export const readLeaf = (
  bytes: Uint8Array,
  kind: Kind,
  read: ReadPage,
  accepts: (cell: Cell) => boolean,
): Leaf => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = startOf(bytes);
  const count = view.getUint16(start + 3);
  const content = view.getUint16(start + 5) || 65_536;
  const fragments = bytes[start + 7] ?? 0;
  const blocks = freeBlocks(view, start);
  const pointers = start + 8;
  const cellAt = (at: number): Cell | undefined => {
    const place = view.getUint16(pointers + at * 2);
    const cell = place < pointers ? undefined : readCell(bytes, place, kind, read);
    return cell && accepts(cell) ? cell : undefined;
  };
  const cellsTo = (end: number): Cell[] => {
    const cells: Cell[] = [];
    for (let at = 0; at < end && pointers + at * 2 + 2 <= bytes.length; at++) {
      const cell = cellAt(at);
      if (cell) cells.push(cell);
    }
    return cells;
  };
  const cells = cellsTo(count);
  const used = sizeOf(cells.map((cell) => [cell.start, cell.end])) + sizeOf(blocks ?? []) + fragments;
  const isOrdered =
    kind === "index" || cells.every(({ id }, at) => at === 0 || id > (cells[at - 1]?.id ?? 0));
  const isWhole =
    blocks !== undefined && cells.length === count && used === bytes.length - content && isOrdered;
  if (isWhole) return { cells, isWhole };
  // The number of cells may be damaged: then the array of pointers shows the others.
  const most = Math.floor((Math.min(content, bytes.length) - pointers) / 2);
  const candidates = cellsTo(Math.max(0, Math.max(most, count)));
  if (kind === "index") return { cells: candidates, isWhole };
  const kept = longestAscending(candidates.map(({ id }) => id));
  return { cells: kept.flatMap((at) => candidates[at] ?? []), isWhole };
};

export interface Interior {
  /** The pages below it, with the highest id that each may have; undefined for the last. */
  children: { page: number; key: number | undefined }[];
  /** The entries of an index. */
  cells: Cell[];
  isWhole: boolean;
}

/** Reads a page as an interior one. @param last the number of pages of the file */
export const readInterior = (bytes: Uint8Array, kind: Kind, read: ReadPage, last: number): Interior => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = startOf(bytes);
  const count = view.getUint16(start + 3);
  const children: Interior["children"] = [];
  const cells: Cell[] = [];
  const isPage = (child: number) => child > 0 && child <= last;
  for (let at = 0; at < count && start + 12 + at * 2 + 2 <= bytes.length; at++) {
    const place = view.getUint16(start + 12 + at * 2);
    if (place < start + 12 || place + 5 > bytes.length) continue;
    const child = view.getUint32(place);
    const cell = kind === "index" ? readCell(bytes, place + 4, kind, read) : undefined;
    if (cell) cells.push(cell);
    const key = kind === "table" ? readKey(bytes, place + 4) : cell && 0;
    if (isPage(child) && key !== undefined) children.push({ page: child, key });
  }
  const right = view.getUint32(start + 8);
  const keys = children.map(({ key = 0 }) => key);
  const isWhole =
    children.length > 0 &&
    children.length === count &&
    isPage(right) &&
    (kind === "index" || longestAscending(keys).length === count);
  if (isPage(right)) children.push({ page: right, key: undefined });
  return { children, cells, isWhole };
};

/** What the first byte of a page shows; undefined if it shows no kind of page. */
export const typeOf = (bytes: Uint8Array): { kind: Kind; isInterior: boolean } | undefined => {
  const type = bytes[startOf(bytes)];
  for (const kind of ["table", "index"] as const)
    if (type === LEAF[kind] || type === INTERIOR[kind]) return { kind, isInterior: type === INTERIOR[kind] };
  return undefined;
};

export const hasTableLeafType = (bytes: Uint8Array): boolean => bytes[startOf(bytes)] === LEAF.table;
