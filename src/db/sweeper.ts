export interface Sweeper {
  /** Sweeps until nothing is left to remove; while it does, again changes nothing. */
  run(): Promise<void>;
  /** Ends after the slice that is being removed. */
  stop(): Promise<void>;
}

/** Removes what is kept no longer, slice by slice, so that other writes come in between. @param slices true: there may be more */
export const rowSweeper = (slices: readonly (() => Promise<boolean>)[]): Sweeper => {
  let running: Promise<void> | undefined;
  let stopped = false;
  const sweep = async () => {
    for (const slice of slices)
      do if (stopped) return;
      while (await slice());
  };
  return {
    run: () =>
      (running ??= sweep().finally(() => {
        running = undefined;
      })),
    async stop() {
      stopped = true;
      // Whoever began it is told how it went.
      await running?.catch(() => {});
    },
  };
};
