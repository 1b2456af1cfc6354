import { useRef, useState } from "preact/hooks";

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
 * The selection of a table with these rows. Rows that are gone are not selected.
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
export const SelectHeading = ({ selection: { areAll, selected, toggleAll } }: { selection: Selection }) => (
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
