/** Runs work with the same key one at a time, in the order of the calls. Work with different keys runs concurrently. */
export const keyedMutex = () => {
  const last = new Map<number, Promise<unknown>>();
  return async <Result>(key: number, work: () => Promise<Result>): Promise<Result> => {
    const previous = last.get(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    last.set(key, ended);
    await previous;
    try {
      return await work();
    } finally {
      end();
      if (last.get(key) === ended) last.delete(key);
    }
  };
};
