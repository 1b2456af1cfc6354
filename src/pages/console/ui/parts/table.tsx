import { type ComponentChildren, Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Empty, Loading, Problem } from "./page.tsx";
import { shownOf } from "./wording.ts";

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

/** The links of a row's actions. Screen readers announce them with the row's name. */
export const RowLinks = ({ name, links }: { name: string; links: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(links).map(([label, href]) => (
      <a key={label} href={href} aria-label={`${label} ${name}`}>
        {label}
      </a>
    ))}
  </>
);

/** A column of a table: its heading, and its cell for each row. */
export interface Column<Item> {
  name: string;
  /** Identifies the column if another one may have its name. */
  key?: string;
  /**
   * `row` names the row. `number` aligns right. `group` has several elements, which stay together. The heading of `actions` is
   * shown to screen readers only, and its cells stay in sight.
   */
  kind?: "row" | "number" | "group" | "actions";
  /** Makes the heading a button: it is the order after the first press, such as "name" or "-id". */
  sort?: string;
  /** Without it, the row adds the cell itself. */
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

interface HeadingProps {
  column: Column<never>;
  sorting: Sorting | undefined;
}

const Heading = ({ column: { name, kind, sort }, sorting }: HeadingProps) => {
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
    {columns.map(({ name, key = name, kind, cell, title }) => {
      if (!cell) return null;
      if (kind === "row")
        return (
          <th key={key} scope="row">
            {cell(item)}
          </th>
        );
      if (kind === "actions")
        return (
          <td key={key} class={kind}>
            <div>{cell(item)}</div>
          </td>
        );
      return (
        <td key={key} class={kind === "number" ? kind : undefined} data-column={name} title={title?.(item)}>
          {kind === "group" ? <div>{cell(item)}</div> : cell(item)}
        </td>
      );
    })}
  </>
);

export const byId = ({ id }: { id: number | string }): number | string => id;

export interface TableProps<Item> {
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item, index: number) => string | number;
  /** A row that has more than `Cells`. */
  row?: (item: Item) => ComponentChildren;
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
 * columns that must stay readable have a `min-width`. Only a table whose columns the user chooses may scroll. With `sorting`,
 * columns that have `sort` are buttons. With `selection`, rows begin with `SelectCell`.
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
              <Heading key={column.key ?? column.name} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <Fragment key={keyOf(item, index)}>{row(item)}</Fragment>
          ))}
        </tbody>
      </table>
    </Scroll>
  </div>
);

interface MoreProps {
  /** "50 of 1,234 animals shown" */
  words: string;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => unknown;
}

/** How much of a list is shown, and the button that loads the next page. */
const More = ({ words, hasMore, isBusy, onMore }: MoreProps) => {
  const shown = useRef<HTMLParagraphElement>(null);
  const wasPressed = useRef(false);
  // The button disappears with the last page: keep the focus here, and the first new row in view. A layout effect:
  // in the next frame, lost focus would move to the heading.
  useLayoutEffect(() => {
    if (!hasMore && wasPressed.current) shown.current?.focus({ preventScroll: true });
  }, [hasMore]);
  return (
    <div class="more">
      <p ref={shown} role="status" tabIndex={-1}>
        {words}
      </p>
      {hasMore && (
        <button
          type="button"
          class="secondary outline"
          aria-busy={isBusy}
          onClick={() => {
            wasPressed.current = true;
            if (!isBusy) void onMore();
          }}
        >
          Show more
        </button>
      )}
    </div>
  );
};

/** The query results that a list shows: one by `useAll`, or one that reads all items together and has no next page. */
interface Found<Item> {
  data: object | undefined;
  error: Error | null;
  isPending: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
  items?: readonly Item[];
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

/**
 * The states of a list: loading, a problem, empty, its rows, and the button for more.
 *
 *     <List found={useKeys()} thing="key" table={{ label: "Keys", columns: COLUMNS, keyOf: byId }} />
 */
export const List = <Item,>({
  found,
  items = found.items ?? [],
  thing,
  things = `${thing}s`,
  shown,
  all,
  words,
  error = found.error,
  purpose,
  empty,
  isWaiting = false,
  table,
  children = (items) => table && <Table {...table} items={items} />,
}: {
  found: Found<Item>;
  /** The items to show if they differ from the query's, such as items that were just added. */
  items?: readonly Item[];
  /** The name of an item: "key". */
  thing: string;
  things?: string;
  /** How many of the items the list counts, if not all of them: a change may have taken some out of its filter. */
  shown?: number;
  /** The number of all items, if available. */
  all?: number | undefined;
  /** How much is shown, if the numbers do not tell. */
  words?: string;
  /** Null if the error is shown elsewhere. */
  error?: Error | null;
  /** The purpose of the items: shown while the list has none yet. */
  purpose?: string;
  /** Shown instead of the purpose if the list is empty. */
  empty?: ComponentChildren;
  /** Something else that the rows need is still loading. */
  isWaiting?: boolean;
  table?: Omit<TableProps<Item>, "items">;
  children?: (items: readonly Item[]) => ComponentChildren;
}) => {
  const { hasNextPage = false } = found;
  if (found.isPending || isWaiting) return <Loading what={`Loading ${things}`} />;
  return (
    <>
      {error && <Problem error={error} onRetry={found.refetch} />}
      {found.data &&
        items.length === 0 &&
        (empty ?? <Empty title={`No ${things} yet`}>{purpose && <p>{purpose}</p>}</Empty>)}
      {items.length > 0 && (
        <div class={found.isPlaceholderData ? "outdated" : ""} aria-busy={found.isPlaceholderData}>
          {children(items)}
          <More
            words={words ?? shownOf(shown ?? items.length, all, hasNextPage, thing, things)}
            hasMore={hasNextPage}
            isBusy={found.isFetchingNextPage ?? false}
            onMore={() => found.fetchNextPage?.()}
          />
        </div>
      )}
    </>
  );
};
