/**
 * Removes expired rows in slices, so that other writes get their turn.
 * @param slices each removes some rows, and resolves to true if there may be more
 */
export const rowSweeper = (slices: readonly (() => Promise<boolean>)[]) => {
  let running: Promise<void> | undefined;
  let isStopped = false;
  const sweep = async () => {
    for (const slice of slices)
      do if (isStopped) return;
      while (await slice());
  };
  return {
    /** Sweeps until no expired row is left. A call during a sweep joins it. */
    run: (): Promise<void> =>
      (running ??= sweep().finally(() => {
        running = undefined;
      })),
    /** Ends a sweep after its current slice. */
    async stop(): Promise<void> {
      isStopped = true;
      // The caller of `run` gets the error.
      await running?.catch(() => {});
    },
  };
};
