import { fieldFault } from "./errors.ts";

/** One page of a list that ascends by id. */
export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page; undefined on the last page. */
  next: string | undefined;
}

/** An opaque cursor of the last id of a page and the filter of its list. */
export const writeCursor = (after: number, filter: string): string =>
  Buffer.from(`${after}:${filter}`).toString("base64url");

/** The id after which a page starts. @throws Fault invalid_cursor unless the cursor is from `writeCursor` with this filter */
export const readCursor = (cursor: string, filter: string): number => {
  const after = Number(/^([1-9][0-9]*):/.exec(Buffer.from(cursor, "base64url").toString())?.[1]);
  if (!Number.isSafeInteger(after) || writeCursor(after, filter) !== cursor)
    throw fieldFault("invalid_cursor", { field: "cursor", rule: "format" });
  return after;
};

/** Makes a page from a query for `limit` + 1 items: the extra one shows that another page follows. */
export const cutPage = <Item extends { id: number }>(
  found: Item[],
  limit: number,
  filter: string,
): Page<Item> => {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last ? writeCursor(last.id, filter) : undefined };
};
