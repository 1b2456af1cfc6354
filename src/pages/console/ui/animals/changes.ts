import type { Page } from "../api/client.ts";
import { type View, DEFAULT_SORT, mayMatch } from "./addresses.ts";
import type { Animal, NewAnimal } from "./animal.ts";

/** Animals that have changed, as they are now; undefined: deleted. */
export type Changes = ReadonlyMap<number, Animal | undefined>;

/** A list as far as it is loaded, as the query client keeps it. */
export interface Pages {
  pages: Page<Animal>[];
  pageParams: unknown[];
}

export const isSame = (one: NewAnimal, other: NewAnimal): boolean =>
  one.name === other.name &&
  // Either may be a bigint, with the same digits.
  String(one.categoryId) === String(other.categoryId) &&
  one.status === other.status;

/** The animals with their changes, in their places. The same array if none of them has changed. */
export const patchItems = (items: Animal[], changes: Changes): Animal[] => {
  let isChanged = false;
  const patched = items.flatMap((one) => {
    if (!changes.has(one.id)) return [one];
    const now = changes.get(one.id);
    if (now && isSame(one, now)) return [one];
    isChanged = true;
    return now ? [now] : [];
  });
  return isChanged ? patched : items;
};

/** The list with its changes. No row moves, even if it no longer matches: it would move others under the pointer. */
export const patchPages = (list: Pages, changes: Changes): Pages => {
  const pages = list.pages.map((page) => {
    const items = patchItems(page.items, changes);
    return items === page.items ? page : { ...page, items };
  });
  return pages.every((page, at) => page === list.pages[at]) ? list : { ...list, pages };
};

/** The animals of all loaded pages. One that was put first is not repeated by the page that it belongs to. */
export const itemsOf = (list: Pages | undefined): Animal[] => {
  const items = list?.pages.flatMap((page) => page.items) ?? [];
  return [...new Map(items.map((one) => [one.id, one])).values()];
};

/** True if the animal would be on a page that is not loaded yet. */
const isBeyond = (list: Pages, sort: View["sort"], { id }: Animal): boolean => {
  const last = itemsOf(list).at(-1);
  if (list.pages.at(-1)?.next === undefined || !last) return false;
  if (sort === "id") return id > last.id;
  // Only the API knows the order of names.
  return (sort ?? DEFAULT_SORT) === "-id" ? id < last.id : true;
};

/** True if a reload of the loaded pages might show the animal. Only the API can evaluate a search. */
export const mayEnter = (list: Pages, view: View, animal: Animal): boolean =>
  mayMatch(view, animal) &&
  !isBeyond(list, view.sort, animal) &&
  !itemsOf(list).some(({ id }) => id === animal.id);

/** The list with the animals first, without doubles: the newest of them at the top. */
export const withFirst = (list: Pages, animals: readonly Animal[]): Pages => {
  const known = new Set(itemsOf(list).map(({ id }) => id));
  const fresh = animals.filter(({ id }) => !known.has(id)).toSorted((one, other) => other.id - one.id);
  const [first, ...rest] = list.pages;
  if (fresh.length === 0 || !first) return list;
  return { ...list, pages: [{ ...first, items: [...fresh, ...first.items] }, ...rest] };
};
