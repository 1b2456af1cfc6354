import { type ComponentChildren, Fragment } from "preact";
import { useRef, useState } from "preact/hooks";

/** Content that scrolls sideways if it is too wide, with the keyboard too. `label` names it for screen readers. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="scroll" role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
);

/** Which rows of a table are selected, by their ids. */
export interface Selection {
  /** In the order of the rows. */
  selected: readonly number[];
  isSelected(id: number): boolean;
  /** Selects a row or not. With `isRange`, all rows from the last one that was pressed. */
  toggle(id: number, isRange: boolean): void;
  toggleAll(): void;
  clear(): void;
  areAll: boolean;
}

const NONE: ReadonlySet<number> = new Set();

/**
 * The selection of a table with these rows. Removed rows are not selected.
 * @param list which list it is: another one begins with nothing selected
 */
export const useSelection = (ids: readonly number[], list: string): Selection => {
  const [held, setHeld] = useState({ list, chosen: NONE });
  const chosen = held.list === list ? held.chosen : NONE;
  const setChosen = (change: (before: ReadonlySet<number>) => ReadonlySet<number>) =>
    setHeld((before) => ({ list, chosen: change(before.list === list ? before.chosen : NONE) }));
  const lastPressed = useRef<number>();
  const selected = ids.filter((id) => chosen.has(id));
  const areAll = ids.length > 0 && selected.length === ids.length;
  return {
    selected,
    areAll,
    isSelected: (id) => chosen.has(id),
    toggle(id, isRange) {
      const [from, to] = [ids.indexOf(lastPressed.current ?? id), ids.indexOf(id)];
      const range = isRange && from >= 0 ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
      lastPressed.current = id;
      setChosen((before) =>
        before.has(id) ? before.difference(new Set(range)) : before.union(new Set(range)),
      );
    },
    toggleAll: () => setChosen(() => new Set(areAll ? [] : ids)),
    clear: () => setChosen(() => NONE),
  };
};

/** The first cell of a selectable row. `name` is the row's, for screen readers. Shift selects a range. */
export const SelectCell = ({ selection, id, name }: { selection: Selection; id: number; name: string }) => (
  <td class="select">
    <label>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={selection.isSelected(id)}
        onClick={(event) => selection.toggle(id, event.shiftKey)}
      />
    </label>
  </td>
);

/** The heading above the cells that select: it selects all rows that are shown. */
const SelectHeading = ({ selection: { areAll, selected, toggleAll } }: { selection: Selection }) => (
  <th scope="col" class="select">
    <label>
      <input
        type="checkbox"
        aria-label="Select all shown"
        checked={areAll}
        ref={(input) => {
          if (input) input.indeterminate = !areAll && selected.length > 0;
        }}
        onClick={toggleAll}
      />
    </label>
  </th>
);

/** A column of a table: its heading, and its cell for each row. */
export interface Column<Item> {
  name: string;
  /**
   * `row` names the row. `number` aligns right. The heading of `actions` is shown to screen readers only, and its cells stay in
   * sight.
   */
  kind?: "row" | "number" | "actions";
  /** Makes the heading a button: it is the order after the first press, such as "name" or "-id". */
  sort?: string;
  /** Several elements need one around them. Without it, the row adds the cell itself. */
  cell?: (item: Item) => ComponentChildren;
  title?: (item: Item) => string;
}

/** The order of the rows. `value` is a column's, with a minus if it is descending. */
interface Sorting {
  value: string;
  onSort: (value: string) => void;
}

const bare = (value: string): string => value.replace(/^-/, "");
const reversed = (value: string): string => (value.startsWith("-") ? bare(value) : `-${value}`);

const directionOf = (sort: string, { value }: Sorting): "ascending" | "descending" | undefined => {
  if (bare(sort) !== bare(value)) return undefined;
  return value.startsWith("-") ? "descending" : "ascending";
};

const Heading = ({
  column: { name, kind, sort },
  sorting,
}: {
  column: Column<never>;
  sorting: Sorting | undefined;
}) => {
  if (kind === "actions")
    return (
      <th scope="col" class="actions">
        <span class="visually-hidden">{name}</span>
      </th>
    );
  const direction = sort !== undefined && sorting ? directionOf(sort, sorting) : undefined;
  return (
    <th scope="col" class={kind === "number" ? kind : ""} aria-sort={direction}>
      {sort === undefined || !sorting ? (
        name
      ) : (
        <button type="button" onClick={() => sorting.onSort(direction ? reversed(sorting.value) : sort)}>
          {name}
        </button>
      )}
    </th>
  );
};

/** The order of a stacked table, whose headings are hidden. */
const SortChoice = ({ columns, sorting }: { columns: readonly Column<never>[]; sorting: Sorting }) => (
  <label class="sort-by">
    Sort by
    <select value={sorting.value} onChange={(event) => sorting.onSort(event.currentTarget.value)}>
      {columns.flatMap(({ name, sort }) =>
        sort === undefined
          ? []
          : [sort, reversed(sort)].map((value) => (
              <option key={value} value={value}>
                {name} {value.startsWith("-") ? "↓" : "↑"}
              </option>
            )),
      )}
    </select>
  </label>
);

/** The cells of a row. `data-column` labels a cell of a stacked table. */
export const Cells = <Item,>({ columns, item }: { columns: readonly Column<Item>[]; item: Item }) => (
  <>
    {columns.map(({ name, kind, cell, title }) => {
      if (!cell) return null;
      if (kind === "row")
        return (
          <th key={name} scope="row">
            {cell(item)}
          </th>
        );
      if (kind === "actions")
        return (
          <td key={name} class={kind}>
            <div>{cell(item)}</div>
          </td>
        );
      return (
        <td key={name} class={kind} data-column={name} title={title?.(item)}>
          {cell(item)}
        </td>
      );
    })}
  </>
);

/** The key of a row. */
export const byId = ({ id }: { id: number | string }): number | string => id;

export interface TableProps<Item> {
  /** The content of the table, for screen readers. */
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item, at: number) => string | number;
  /** A row that has more than `Cells`. */
  row?: (item: Item) => ComponentChildren;
  /** Classes. */
  kind?: string;
  /** In rem. Layout depends only on this width, never on the content. */
  stackBelow?: number;
  sorting?: Sorting;
  selection?: Selection;
}

/**
 * A table, with a row for each item.
 *
 * With `stackBelow`, each row becomes a list of its cells below that width. Style that form inside
 * `@container table (width < 1em)`. Above that width, the table must fit regardless of its content, so text breaks anywhere, and
 * columns that must stay readable have a `min-width`. With `sorting`, columns that have `sort` are buttons. With `selection`,
 * rows begin with `SelectCell`.
 */
export const Table = <Item,>({
  label,
  columns,
  items,
  keyOf,
  row = (item) => (
    <tr>
      <Cells columns={columns} item={item} />
    </tr>
  ),
  kind = "",
  stackBelow,
  sorting,
  selection,
}: TableProps<Item>) => (
  <div class="table" style={stackBelow === undefined ? {} : { fontSize: `${stackBelow}rem` }}>
    {sorting && <SortChoice columns={columns} sorting={sorting} />}
    <Scroll label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {selection && <SelectHeading selection={selection} />}
            {columns.map((column) => (
              <Heading key={column.name} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, at) => (
            <Fragment key={keyOf(item, at)}>{row(item)}</Fragment>
          ))}
        </tbody>
      </table>
    </Scroll>
  </div>
);
