/** Tells those who wait that the log may have grown. */
export const logGrowth = () => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    notify(): void {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    next: (): Promise<void> => promise,
  };
};

export type Growth = ReturnType<typeof logGrowth>;
