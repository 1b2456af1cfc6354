import {
  type Interior,
  type Kind,
  type Leaf,
  hasFileHeader,
  readInterior,
  readLeaf,
  typeOf,
} from "./page.ts";
import { PAGE_BYTES } from "./log.ts";
import type { Pages } from "./pages.ts";
import { type Cell, type ReadPage, pageNumber } from "./record.ts";

/** Ids from `from` to `to`; without an end if `to` is undefined. */
export interface Range {
  from: number;
  to: number | undefined;
}

/** The pages of a table or an index that could be found. */
export interface Tree {
  kind: Kind;
  accepts: (cell: Cell) => boolean;
  leaves: number[];
  /** The leaves that no page leads to. */
  adopted: number[];
  /** The entries of an index in its interior pages. */
  interiors: number[];
  /** Where rows may be lost. */
  lost: Range[];
}

/** No tree of SQLite is deeper. */
const MAX_DEPTH = 40;

/** How often each overflow page is read on average: damaged chains may share pages, and each table may try a lost leaf. */
const MAX_OVERFLOW_READS = 50;

const ALL: Range = { from: Number.MIN_SAFE_INTEGER, to: undefined };

/** The free pages. `isWhole` is false if the list is damaged. */
const freePages = (pages: Pages, header: Uint8Array | undefined): { free: Set<number>; isWhole: boolean } => {
  const free = new Set<number>();
  if (!header) return { free, isWhole: false };
  for (let trunk = pageNumber(header, 32); trunk !== 0;) {
    const bytes = free.has(trunk) ? undefined : pages.read(trunk);
    if (!bytes) return { free, isWhole: false };
    free.add(trunk);
    const count = Math.min(pageNumber(bytes, 4), PAGE_BYTES / 4 - 2);
    for (let leaf = 0; leaf < count; leaf++) free.add(pageNumber(bytes, 8 + leaf * 4));
    trunk = pageNumber(bytes, 0);
  }
  return { free, isWhole: free.size === pageNumber(header, 36) };
};

/** The page that begins with the header of the file; undefined if it is unreadable. */
const headerPage = (pages: Pages): number | undefined => {
  for (let page = 1; page <= pages.count; page++) {
    const bytes = pages.read(page);
    if (bytes && hasFileHeader(bytes)) return page;
  }
  return undefined;
};

/** A leaf whose rows are all elsewhere may be another's, in its place. */
const isIn = ({ from, to = Infinity }: Range, { id }: Cell): boolean => id >= from && id <= to;

/** Reads the trees of a damaged file. Each page belongs to at most one. */
export const treesOf = (pages: Pages) => {
  const used = new Set<number>();
  let overflowReads = MAX_OVERFLOW_READS * pages.count;
  const readOverflow: ReadPage = (page) => (overflowReads-- > 0 ? pages.read(page) : undefined);
  const header = headerPage(pages);
  const { free, isWhole: isFreeListWhole } = freePages(
    pages,
    header === undefined ? undefined : pages.read(header),
  );
  /** Pages that a tree and the list of free pages both have. */
  const doubtful = new Set<number>();
  const leafOf = (page: number, { kind, accepts }: Pick<Tree, "kind" | "accepts">): Leaf | undefined => {
    const bytes = pages.read(page);
    return bytes && readLeaf(bytes, kind, readOverflow, accepts);
  };

  const interiorOf = (page: number, kind: Kind): Interior | undefined => {
    const bytes = pages.read(page);
    return bytes && readInterior(bytes, kind, readOverflow, pages.count);
  };

  const use = (page: number, cells: readonly Cell[]): void => {
    used.add(page);
    for (const { overflow } of cells) for (const one of overflow) used.add(one);
  };

  /** Decides whether a page is a leaf: by its first byte unless its content disagrees. */
  const lookAt = (page: number, { kind, accepts }: Tree): { leaf?: Leaf; interior?: Interior } => {
    const bytes = pages.read(page);
    if (!bytes) return {};
    const type = typeOf(bytes);
    // One inverted bit never turns the one kind into the other.
    if (type && type.kind !== kind) return {};
    const leaf = readLeaf(bytes, kind, readOverflow, accepts);
    if (type?.isInterior ? leaf.isWhole && leaf.cells.length > 0 : leaf.cells.length > 0) return { leaf };
    const interior = readInterior(bytes, kind, readOverflow, pages.count);
    if (type?.isInterior ? interior.children.length > 0 : interior.isWhole) return { interior };
    return type?.isInterior === false ? { leaf } : {};
  };

  const visit = (tree: Tree, page: number, range: Range, depth: number): void => {
    if (free.has(page)) {
      doubtful.add(page);
      return void tree.lost.push(range);
    }
    const { leaf, interior } = used.has(page) || depth > MAX_DEPTH ? {} : lookAt(page, tree);
    const isEmptyRoot = leaf?.isWhole && leaf.cells.length === 0 && depth === 0;
    if (leaf && (isEmptyRoot || leaf.cells.some((cell) => tree.kind === "index" || isIn(range, cell)))) {
      use(page, leaf.cells);
      tree.leaves.push(page);
      if (!leaf.isWhole) tree.lost.push(range);
      return;
    }
    if (!interior) return void tree.lost.push(range);
    use(page, interior.cells);
    tree.interiors.push(page);
    if (!interior.isWhole) tree.lost.push(range);
    let { from } = range;
    for (const { page: child, key } of interior.children) {
      visit(tree, child, { from, to: key ?? range.to }, depth + 1);
      if (key !== undefined) from = Math.max(from, key + 1);
    }
  };

  return {
    /** The page with the file's header, which is also the root of the schema. */
    header,
    leafOf,
    interiorOf,
    isFreeListWhole,
    /** Walks a tree from its root. @param root undefined if it is unknown */
    walk(root: number | undefined, kind: Kind, accepts: Tree["accepts"]): Tree {
      const tree: Tree = { kind, accepts, leaves: [], adopted: [], interiors: [], lost: [] };
      if (root === undefined) tree.lost.push(ALL);
      else visit(tree, root, ALL, 0);
      return tree;
    },
    /** Adds a leaf that no tree leads to. */
    adopt(tree: Tree, page: number, cells: readonly Cell[]): void {
      use(page, cells);
      tree.adopted.push(page);
      if (!tree.lost.includes(ALL)) tree.lost.push(ALL);
    },
    /** The pages in use that no tree has. */
    *orphans(): Generator<number> {
      for (let page = 1; page <= pages.count; page++)
        if (!used.has(page) && (!free.has(page) || doubtful.has(page))) yield page;
    },
  };
};
