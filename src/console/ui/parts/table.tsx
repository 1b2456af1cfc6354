import type { ComponentChildren } from "preact";
import { Scroll } from "./scroll.tsx";
import { SelectHeading, type Selection } from "./selection.tsx";

/**
 * The heading of a column. `number` aligns right; `actions` is shown to screen readers only, and its cells stay in sight.
 * `sort` makes it a button: it is the order after the first press, such as "name" or "-id".
 */
export type Column = string | { name: string; kind?: "number" | "actions"; sort?: string };

/** The order of the rows. `value` is a column's, with a minus if it is descending. */
export interface Sorting {
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
  /** What the table shows, for screen readers. */
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
