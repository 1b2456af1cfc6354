import type { ComponentChildren } from "preact";
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

/**
 * The heading of a column. `number` aligns right; `actions` is shown to screen readers only, and its cells stay in sight.
 * `sort` makes it a button: it is the order after the first press, such as "name" or "-id".
 */
export type Column = string | { name: string; kind?: "number" | "actions"; sort?: string };

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

const Heading = ({ column, sorting }: { column: Column; sorting: Sorting | undefined }) => {
  const { name, kind = "", sort } = typeof column === "string" ? { name: column } : column;
  if (kind === "actions")
    return (
      <th scope="col" class="actions">
        <span class="visually-hidden">{name}</span>
      </th>
    );
  if (sort === undefined || !sorting)
    return (
      <th scope="col" class={kind}>
        {name}
      </th>
    );
  const direction = directionOf(sort, sorting);
  return (
    <th scope="col" class={kind} aria-sort={direction}>
      <button type="button" onClick={() => sorting.onSort(direction ? reversed(sorting.value) : sort)}>
        {name}
      </button>
    </th>
  );
};

/** The order of a stacked table, whose headings are hidden. */
const SortChoice = ({ columns, sorting }: { columns: readonly Column[]; sorting: Sorting }) => (
  <label class="sort-by">
    Sort by
    <select value={sorting.value} onChange={(event) => sorting.onSort(event.currentTarget.value)}>
      {columns.flatMap((column) => {
        if (typeof column === "string" || column.sort === undefined) return [];
        return [column.sort, reversed(column.sort)].map((value) => (
          <option key={value} value={value}>
            {column.name} {value.startsWith("-") ? "↓" : "↑"}
          </option>
        ));
      })}
    </select>
  </label>
);

/**
 * A table. Its children are the rows; actions go into `<td class="actions"><div>`.
 *
 * With `stackBelow`, each row becomes a list of its cells below that width; `data-column` of a cell is its
 * label. Style that form inside `@container table (width < 1em)`. Above that width, the table must fit regardless of its content, so
 * text breaks anywhere, and columns that must stay readable have a `min-width`. With `sorting`, columns that have `sort` are
 * buttons. With `selection`, rows begin with `SelectCell`.
 */
export const Table = ({
  label,
  columns,
  kind = "",
  stackBelow,
  sorting,
  selection,
  children,
}: {
  /** The content of the table, for screen readers. */
  label: string;
  columns: readonly Column[];
  /** Classes. */
  kind?: string;
  /** In rem. Layout depends only on this width, never on the content. */
  stackBelow?: number;
  sorting?: Sorting | undefined;
  selection?: Selection | undefined;
  children: ComponentChildren;
}) => (
  <div class="table" style={stackBelow === undefined ? {} : { fontSize: `${stackBelow}rem` }}>
    {sorting && <SortChoice columns={columns} sorting={sorting} />}
    <Scroll label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {selection && <SelectHeading selection={selection} />}
            {columns.map((column, at) => (
              <Heading key={at} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  </div>
);
