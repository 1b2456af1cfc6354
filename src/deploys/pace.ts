/** Each part counts as at least this much: reading even a tiny file costs a seek. */
const LEAST_BYTES = 16 * 1024;
const MIN_SLEEP_MS = 50;

/** Limits reading to so many bytes a second. @returns a function to await after each part that was read */
export const throttle = (bytesPerSecond: number, sleep: (ms: number) => Promise<void>) => {
  let owed = 0;
  return async (bytes: number): Promise<void> => {
    owed += (1000 * Math.max(bytes, LEAST_BYTES)) / bytesPerSecond;
    if (owed < MIN_SLEEP_MS) return;
    const ms = owed;
    owed = 0;
    await sleep(ms);
  };
};
