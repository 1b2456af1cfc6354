import { fieldFault } from "./errors.ts";

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page; undefined on the last page. */
  next: string | undefined;
}

/** A request for a page. */
export interface PageQuery {
  limit: number;
  /** From the previous page. */
  cursor?: string | undefined;
}

/** An opaque cursor of the last item of a page and the filter of its list. @param text its place in an order by text */
export const writeCursor = (after: number, filter: string, text?: string): string =>
  Buffer.from(`${after}:${filter}${text === undefined ? "" : `:${text}`}`).toString("base64url");

/** The filter of a list in its cursors, for filters that can be long: the list's name and a hash of the filters. */
export const hashedFilter = (list: string, filters: object): string =>
  `${list}:${new Bun.CryptoHasher("sha256").update(JSON.stringify(filters)).digest("base64url").slice(0, 22)}`;

const invalidCursor = () => fieldFault("invalid_cursor", { field: "cursor", rule: "format" });

const idOf = (decoded: string): number => Number(/^([1-9][0-9]*):/.exec(decoded)?.[1]);

/**
 * The filters of a list in its cursors: `short` as it is, unless there are `long` filters.
 * @param added filters that were added to the list later: cursors from before stay valid without them
 */
export const filterOf = (list: string, short: string, long: readonly unknown[], added: object): string => {
  const names = Object.keys(added).toSorted();
  const filters = names.length === 0 ? long : [...long, JSON.stringify(added, names)];
  return filters.every((filter) => filter === undefined) ? short : hashedFilter(list, [short, ...filters]);
};

/** The id after which a page starts. @throws Fault invalid_cursor unless the cursor is from `writeCursor` with this filter */
export const readCursor = (cursor: string, filter: string): number => {
  const after = idOf(Buffer.from(cursor, "base64url").toString());
  if (!Number.isSafeInteger(after) || writeCursor(after, filter) !== cursor) throw invalidCursor();
  return after;
};

/** As `readCursor`, for a list that is ordered by text and then by id. @throws Fault invalid_cursor */
export const readTextCursor = (cursor: string, filter: string): { after: number; text: string } => {
  const decoded = Buffer.from(cursor, "base64url").toString();
  const after = idOf(decoded);
  const text = decoded.slice(`${after}:${filter}:`.length);
  if (!Number.isSafeInteger(after) || writeCursor(after, filter, text) !== cursor) throw invalidCursor();
  return { after, text };
};

/**
 * Makes a page from a query for `limit` + 1 items: the extra one shows that another page follows.
 * @param textOf an item's place in an order by text
 */
export const cutPage = <Item extends { id: number }>(
  found: Item[],
  limit: number,
  filter: string,
  textOf?: (item: Item) => string | undefined,
): Page<Item> => {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last ? writeCursor(last.id, filter, textOf?.(last)) : undefined;
  return { items, next };
};

type Found<Item> = Item[] | Promise<Item[]>;

/** A page of a list in ascending order of id. @throws Fault invalid_cursor */
export const pageAfter = async <Item extends { id: number }>(
  { limit, cursor }: PageQuery,
  filter: string,
  read: (page: { after: number; limit: number }) => Found<Item>,
): Promise<Page<Item>> => {
  const after = cursor === undefined ? 0 : readCursor(cursor, filter);
  return cutPage(await read({ after, limit: limit + 1 }), limit, filter);
};

/** A page of a list in descending order of id. @throws Fault invalid_cursor */
export const pageBefore = async <Item extends { id: number }>(
  { limit, cursor }: PageQuery,
  filter: string,
  read: (page: { before: number; limit: number }) => Found<Item>,
): Promise<Page<Item>> => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor, filter);
  return cutPage(await read({ before, limit: limit + 1 }), limit, filter);
};
