/** Runs work of the same id one after the other, in the order of the calls. Work of different ids runs at once. */
export const keyedMutex = () => {
  const last = new Map<number, Promise<unknown>>();
  return async <Result>(id: number, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(id);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    last.set(id, ended);
    await before;
    try {
      return await work();
    } finally {
      end();
      if (last.get(id) === ended) last.delete(id);
    }
  };
};
