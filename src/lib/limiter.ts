/** At most `max` calls run concurrently; the others wait in line. */
export const limiter = (max: number) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Value>(act: () => Promise<Value>): Promise<Value> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
};

/** Calls `act` for each item, at most `max` concurrently. After an error no further one begins; those that run end first. */
export const forEachLimited = async <Item>(
  items: Iterable<Item>,
  max: number,
  act: (item: Item) => Promise<unknown>,
): Promise<void> => {
  const left = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const work = async () => {
    for (let next = left.next(); !next.done && !failure; next = left.next())
      try {
        await act(next.value);
      } catch (error) {
        failure ??= { error };
      }
  };
  await Promise.all(Array.from({ length: max }, work));
  if (failure) throw failure.error;
};
