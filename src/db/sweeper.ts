/**
 * Removes expired rows in slices, so that other writes get their turn.
 * @param slices each removes some rows, and resolves to true if there may be more
 * @returns a function that sweeps until no expired row is left, or ends after the current slice when its signal aborts
 */
export const rowSweeper =
  (slices: readonly (() => Promise<boolean>)[]) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const slice of slices)
      do if (signal.aborted) return;
      while (await slice());
  };
