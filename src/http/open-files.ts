const OUT_OF_FILES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** True if the process, or the system, has as many files open as it may. */
export const isOutOfFiles = (error: unknown): boolean =>
  error instanceof Error && "code" in error && OUT_OF_FILES.has(error.code);

const PAUSE_MS = 25;
const MAX_RETRIES = 40;

/**
 * Runs `act`, and again for about a second while no file can be opened: connections beyond their limits are closed sooner.
 * What is not a promise is returned as it is.
 */
export const retryOutOfFiles = <Result>(
  act: () => Result | Promise<Result>,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Result | Promise<Result> => {
  const retry = async (error: unknown, retries: number): Promise<Result> => {
    if (!isOutOfFiles(error) || retries === MAX_RETRIES) throw error;
    await sleep(PAUSE_MS);
    try {
      return await act();
    } catch (next) {
      return retry(next, retries + 1);
    }
  };
  const result = act();
  return result instanceof Promise ? result.catch((error: unknown) => retry(error, 0)) : result;
};
