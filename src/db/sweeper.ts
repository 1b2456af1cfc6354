/**
 * Removes rows whose time is over in slices, so that other writes come in between.
 * @param slices each removes some rows; true: there may be more
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
    /** Sweeps until nothing is left to remove. A call during a sweep returns that sweep. */
    run: (): Promise<void> =>
      (running ??= sweep().finally(() => {
        running = undefined;
      })),
    /** Ends after the slice that is being removed. */
    async stop(): Promise<void> {
      isStopped = true;
      // The caller of `run` gets the error.
      await running?.catch(() => {});
    },
  };
};

export type Sweeper = ReturnType<typeof rowSweeper>;
