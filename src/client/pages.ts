import type { Reply } from "./transport.ts";

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

export const pageOf = async <Item>(reply: Promise<Reply<Item[]>>): Promise<Page<Item>> => {
  const { data, response } = await reply;
  return { items: data, next: response.headers.get("next-cursor") ?? undefined };
};

/** The items of all pages, each page read when its first item is asked for. */
export const walk = async function* <Item>(
  read: (cursor?: string) => Promise<Page<Item>>,
  start?: string,
): AsyncGenerator<Item, void, undefined> {
  let cursor = start;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
};
