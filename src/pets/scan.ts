/** Read in one turn of the event loop. */
const MAX_READ = 1000;

/** The animals that were found in the part of a list that was read. */
export interface Scan<Item> {
  found: Item[];
  /** The last animal that was read. */
  last: Item | undefined;
  /** False if more may follow in the rest of the list. */
  isComplete: boolean;
}

/**
 * Reads a list in its order, as long as it is dense with what is sought, or to the end of the page.
 * @param read reads so many animals behind one
 * @param maxSparse how many animals may be read for each that is found
 */
export const scanDense = <Item>(
  read: (after: Item | undefined, count: number) => Item[],
  isMatch: (item: Item) => boolean,
  limit: number,
  maxSparse: number,
): Scan<Item> => {
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
  }
};
