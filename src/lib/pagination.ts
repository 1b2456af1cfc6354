import { Fault } from "./errors.ts";

/** One page of a list that ascends by id. */
export interface Page<Item> {
  items: Item[];
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined;
}

/** An opaque cursor: the last id of a page, and the filter of the list that it belongs to. */
export const writeCursor = (after: number, filter: string): string =>
  Buffer.from(`${after}:${filter}`).toString("base64url");

/** The id behind which a cursor goes on. @throws Fault invalid_cursor unless `writeCursor` made it for this filter. */
export const readCursor = (cursor: string, filter: string): number => {
  const after = Number(/^([1-9][0-9]*):/.exec(Buffer.from(cursor, "base64url").toString())?.[1]);
  if (!Number.isSafeInteger(after) || writeCursor(after, filter) !== cursor)
    throw new Fault("invalid_cursor");
  return after;
};

/** Makes a page of items of which one more than `limit` was asked for. */
export const cutPage = <Item extends { id: number }>(
  found: Item[],
  limit: number,
  filter: string,
): Page<Item> => {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last ? writeCursor(last.id, filter) : undefined };
};
