import { type InfiniteData, type QueryClient, type QueryKey, replaceEqualDeep } from "@tanstack/query-core";
import type { Page } from "../api/client.ts";
import { restartReads } from "./reads.ts";

/** A list as far as it is loaded, as the query client keeps it. */
export type Pages<Item> = InfiniteData<Page<Item>>;

/** Records that have changed, as they are now; undefined: deleted. */
export type Changes<Item> = ReadonlyMap<number, Item | undefined>;

interface Identified {
  id: number;
}

export const isEqual = (a: unknown, b: unknown): boolean => replaceEqualDeep(a, b) === a;

/** The list with an item at another place. */
export const moved = <Item>(items: readonly Item[], item: Item, to: number): Item[] =>
  items.filter((one) => one !== item).toSpliced(to, 0, item);

/** The records of all loaded pages. One that was put first is not repeated by the page that it belongs to. */
export const itemsOf = <Item extends Identified>(list: Pages<Item> | undefined): Item[] => {
  const items = list?.pages.flatMap((page) => page.items) ?? [];
  return [...new Map(items.map((one) => [one.id, one])).values()];
};

/** The list with its changes. No row moves, even if it no longer matches: it would move others under the pointer. */
const withChanges = <Item extends Identified>(list: Pages<Item>, changes: Changes<Item>): Pages<Item> => ({
  ...list,
  pages: list.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((one) => (changes.has(one.id) ? (changes.get(one.id) ?? []) : one)),
  })),
});

/** The list with the records first, without doubles: the newest of them at the top. */
export const withFirst = <Item extends Identified>(
  list: Pages<Item>,
  items: readonly Item[],
): Pages<Item> => {
  const known = new Set(itemsOf(list).map(({ id }) => id));
  const fresh = items.filter(({ id }) => !known.has(id)).toSorted((a, b) => b.id - a.id);
  const [first, ...rest] = list.pages;
  return first ? { ...list, pages: [{ ...first, items: [...fresh, ...first.items] }, ...rest] } : list;
};

/** Replaces a list. A read in progress would overwrite it, such as that of its next page. */
export const setList = (queries: QueryClient, queryKey: QueryKey, list: object): void => {
  const isStale = queries.getQueryState(queryKey)?.isInvalidated;
  queries.setQueryData(queryKey, list);
  restartReads(queries, { queryKey, exact: true });
  // New data would make it fresh.
  if (isStale) void queries.invalidateQueries({ queryKey, exact: true, refetchType: "none" });
};

/** The cached records of one kind: in lists, and each by its id. A change costs no request. */
export const recordsOf = <Item extends Identified>(lists: QueryKey, one: QueryKey) => {
  /** The record as the console knows it: null if it was deleted. */
  const known = (queries: QueryClient, id: number): Item | null | undefined => {
    const single = queries.getQueryData<Item | null>([...one, id]);
    if (single !== undefined) return single;
    return queries
      .getQueriesData<Pages<Item>>({ queryKey: lists })
      .flatMap(([, list]) => itemsOf(list))
      .find((listed) => listed.id === id);
  };
  return {
    known,
    /** Shows changes wherever the records are shown. */
    show(queries: QueryClient, changes: Changes<Item>): void {
      for (const [queryKey, list] of queries.getQueriesData<Pages<Item>>({ queryKey: lists })) {
        const now = list && withChanges(list, changes);
        // The same data would render every row again.
        if (now && !isEqual(list, now)) setList(queries, queryKey, now);
      }
      for (const [id, now] of changes)
        queries.setQueryData<Item | null>([...one, id], (before) =>
          before === undefined ? undefined : (now ?? null),
        );
    },
  };
};
