import { hasTableLeafType } from "./page.ts";
import type { Pages } from "./pages.ts";
import { type Cell, MAX_ID } from "./record.ts";
import { LEDGER, SCHEMA, type Shape, isOf } from "./shape.ts";
import { type Range, type Tree, treesOf } from "./trees.ts";

/** A table as far as it is readable. */
export interface FoundTable {
  readonly shape: Shape;
  /** Every readable row, in the order of its pages. Damage may show two rows with the same id. */
  rows(): Generator<Cell>;
  /** The ids of lost rows, as far as an index or the structure shows them. Call it after `rows`. */
  missing(): Range[];
  /** The ids of rows that no index has, so that the id itself may be damaged. Call it after `rows`. */
  unknown(): number[];
}

const endOf = ({ to = Infinity }: Range): number => to;

/** Joins ranges that overlap or are adjacent. */
const merged = (ranges: readonly Range[]): Range[] => {
  const result: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (!last || range.from > endOf(last) + 1) result.push(range);
    else if (endOf(range) > endOf(last)) result[result.length - 1] = { from: last.from, to: range.to };
  }
  return result;
};

/** The parts of merged ranges, from 1 to `highest`, that have none of these ids. */
const without = (ranges: readonly Range[], ids: ReadonlySet<number>, highest = Infinity): Range[] => {
  const sorted = [...ids].toSorted((one, other) => one - other);
  return ranges.flatMap((range) => {
    const last = Math.min(endOf(range), highest);
    const parts: Range[] = [];
    let from = Math.max(range.from, 1);
    for (const id of sorted) {
      if (id > last) break;
      if (id > from) parts.push({ from, to: id - 1 });
      from = Math.max(from, id + 1);
    }
    if (from <= last) parts.push({ from, to: last === Infinity ? undefined : last });
    return parts;
  });
};

/** The highest id that a constraint allows: 1 for a table with one row. */
const highestOf = ({ columns, rowid }: Shape): number | undefined => {
  const allowed = columns[rowid]?.allowed;
  return allowed && Math.max(...[...allowed].map(Number));
};

const toSchemaRow = ({ values: [type, name, table, root, sql] }: Cell) => ({
  type: String(type),
  name: String(name),
  table: String(table),
  root: Number(root),
  sql: String(sql),
});

/** The ids in the indexes of a table that have all of its rows. */
interface KnownIds {
  ids: ReadonlySet<number>;
  /** The ids that every intact index has: a damaged entry of one index is no evidence of a lost row. */
  certain: ReadonlySet<number>;
  /** True if one of the indexes is intact. */
  isWhole: boolean;
}

const NOTHING_KNOWN: KnownIds = { ids: new Set(), certain: new Set(), isWhole: false };

/** An entry of an index ends with the id of its row. */
const idOf = ({ values }: Cell): number => Number(values.at(-1));

/** Reads the tables of a damaged file. */
export const readTables = (pages: Pages) => {
  const trees = treesOf(pages);

  function* cellsOf(tree: Tree, leaves = tree.leaves): Generator<Cell> {
    for (const page of leaves) yield* trees.leafOf(page, tree)?.cells ?? [];
  }

  const idsIn = (index: Tree): Set<number> => {
    const ids = new Set<number>();
    for (const cell of cellsOf(index)) ids.add(idOf(cell));
    for (const page of index.interiors)
      for (const cell of trees.interiorOf(page, "index")?.cells ?? []) ids.add(idOf(cell));
    return ids;
  };

  /** Gives each orphan that is a leaf to the table that its rows fit best. */
  const adoptAll = (tables: readonly { tree: Tree; known: () => KnownIds }[]): void => {
    for (const page of trees.orphans()) {
      const bytes = pages.read(page);
      if (!bytes || !hasTableLeafType(bytes)) continue;
      const found = tables.flatMap(({ tree, known }) => {
        const { cells = [], isWhole = false } = trees.leafOf(page, tree) ?? {};
        return cells.length > 0 ? [{ tree, cells, isWhole, known }] : [];
      });
      const matches = ({ cells, known }: (typeof found)[number]) =>
        cells.filter(({ id }) => known().ids.has(id)).length;
      const [best] = found.toSorted(
        (one, other) =>
          Number(other.isWhole) - Number(one.isWhole) ||
          matches(other) - matches(one) ||
          other.cells.length - one.cells.length,
      );
      if (best) trees.adopt(best.tree, page, best.cells);
    }
  };

  const schemaTree = trees.walk(trees.header, "table", isOf(SCHEMA));
  if (schemaTree.lost.length > 0) adoptAll([{ tree: schemaTree, known: () => NOTHING_KNOWN }]);
  const schema = [...cellsOf(schemaTree), ...cellsOf(schemaTree, schemaTree.adopted)].map(toSchemaRow);
  const rootOf = (name: string) => schema.find((row) => row.name === name && row.root > 0)?.root;
  const ledger = trees.walk(rootOf(LEDGER.name), "table", isOf(LEDGER));

  const walkTable = (shape: Shape): Tree =>
    shape.isIndex
      ? trees.walk(rootOf(shape.name), "index", () => true)
      : trees.walk(rootOf(shape.name), "table", isOf(shape));

  const walkIndexes = () =>
    schema
      .filter(({ type, root }) => type === "index" && root > 0)
      .map(({ table, root, sql }) => ({
        table,
        isFull: !/\bWHERE\b/i.test(sql),
        tree: trees.walk(root, "index", (cell) => idOf(cell) > 0 && idOf(cell) <= MAX_ID),
      }));

  const tableOf = (
    { shape, tree }: { shape: Shape; tree: Tree },
    known: () => KnownIds,
    highest: number | undefined,
  ): FoundTable => {
    const saved = new Set<number>();
    return {
      shape,
      *rows() {
        for (const cell of cellsOf(tree)) {
          saved.add(cell.id);
          yield cell;
        }
        if (tree.adopted.length === 0) return;
        const { ids, isWhole } = known();
        for (const cell of cellsOf(tree, tree.adopted)) {
          // An intact index does not have the rows that were deleted.
          if (isWhole && !ids.has(cell.id)) continue;
          saved.add(cell.id);
          yield cell;
        }
      },
      missing() {
        const { ids, certain, isWhole } = known();
        const lost = (tree.lost.length > 0 ? ids : certain).difference(saved);
        const named = [...lost].map((id): Range => ({ from: id, to: id }));
        return isWhole ? merged(named) : without(merged([...tree.lost, ...named]), saved, highest);
      },
      unknown() {
        const { ids, isWhole } = known();
        return isWhole ? [...saved.difference(ids)] : [];
      },
    };
  };

  return {
    isFreeListWhole: trees.isFreeListWhole,
    hasTable: (name: string): boolean => rootOf(name) !== undefined,
    /** The tags of the applied migrations that are readable. */
    tags: (): string[] => [...cellsOf(ledger)].map(({ values }) => String(values[1])),
    /** Finds the rows of the tables for which `isBase` is true. @param shapes of all tables */
    find(shapes: readonly Shape[], isBase: (name: string) => boolean) {
      const walked = shapes
        .filter(({ name }) => name !== LEDGER.name)
        .map((shape) => ({ shape, tree: walkTable(shape) }));
      const indexes = walkIndexes();
      const findIds = (name: string): KnownIds => {
        const full = indexes.filter(({ table, isFull }) => table === name && isFull);
        let ids = new Set<number>();
        let certain: Set<number> | undefined;
        for (const { tree } of full) {
          const found = idsIn(tree);
          ids = ids.union(found);
          if (tree.lost.length === 0) certain = certain ? certain.intersection(found) : found;
        }
        return { ids, certain: certain ?? ids, isWhole: certain !== undefined };
      };
      const found = new Map<string, KnownIds>();
      const known = (name: string) => () => found.get(name) ?? found.set(name, findIds(name)).get(name)!;
      const base = walked.filter(({ shape }) => isBase(shape.name));
      adoptAll(
        base
          // Without the list of free pages, an orphan may be a page of deleted rows.
          .filter(({ tree }) => trees.isFreeListWhole || tree.lost.length > 0)
          .map(({ shape, tree }) => ({ tree, known: known(shape.name) })),
      );
      const sequence = walked.find(({ shape }) => shape.name === "sqlite_sequence");
      const sequences = new Map(
        [...(sequence ? cellsOf(sequence.tree) : [])]
          .map(({ values: [name, last] }) => [String(name), Number(last)] as const)
          .filter(([, last]) => last <= MAX_ID),
      );
      const tables = base.map((one) =>
        tableOf(one, known(one.shape.name), sequences.get(one.shape.name) ?? highestOf(one.shape)),
      );
      return { tables, sequences };
    },
  };
};
