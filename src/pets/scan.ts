import { setImmediate as nextTurn } from "node:timers/promises";

/** Animals that are read in one turn of the event loop: for some names, a comparison takes 50 microseconds. */
const MAX_READ = 200;

/** The animals that were found in the part of a list that was read. */
export interface Scan<Item> {
  found: Item[];
  /** The last animal that was read. */
  last: Item | undefined;
  /** False if more may follow in the rest of the list. */
  isComplete: boolean;
}

/**
 * Reads a list in its order, as long as it is dense with what is sought, or to the end of the page. Lets other requests run in
 * between.
 * @param read reads so many animals behind one
 * @param maxSparse how many animals may be read for each that is found
 */
export const scanDense = async <Item>(
  read: (after: Item | undefined, count: number) => Item[],
  isMatch: (item: Item) => boolean,
  limit: number,
  maxSparse: number,
): Promise<Scan<Item>> => {
  const found: Item[] = [];
  let last: Item | undefined;
  let total = 0;
  for (let count = limit; ;) {
    const items = read(last, count);
    last = items.at(-1) ?? last;
    total += items.length;
    found.push(...items.filter(isMatch));
    const isComplete = found.length >= limit || items.length < count;
    if (isComplete || (found.length + 1) * maxSparse < total)
      return { found: found.slice(0, limit), last, isComplete };
    count = Math.min(MAX_READ, Math.ceil(((limit - found.length) * total) / (found.length + 1)));
    await nextTurn();
  }
};
