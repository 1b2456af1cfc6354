/** What a small file costs at least: it is a seek, however few bytes it has. */
const LEAST_BYTES = 16 * 1024;
const MIN_SLEEP_MS = 50;

/** Sleeps often enough that no more bytes pass in a second. @returns what to await after each part that was read */
export const pace = (bytesPerSecond: number, sleep: (ms: number) => Promise<void>) => {
  let owed = 0;
  return async (bytes: number): Promise<void> => {
    owed += (1000 * Math.max(bytes, LEAST_BYTES)) / bytesPerSecond;
    if (owed < MIN_SLEEP_MS) return;
    const ms = owed;
    owed = 0;
    await sleep(ms);
  };
};
