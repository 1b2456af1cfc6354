const ATTEMPTS = 3;
const INVALIDATE_MS = 1000;

let finished = 0;
let onFinished = () => {};
let invalidate = () => {};
let isInvalidating = false;

/** Sets the function that is called after each write, before its result is used. */
export const onWrite = (listener: () => void): void => {
  onFinished = listener;
};

/** Sets the function that is called soon after a read may have returned a previous state. */
export const onStaleRead = (listener: () => void): void => {
  invalidate = listener;
};

/** Records that a write has a response, or has failed without one. */
export const finishWrite = (): void => {
  finished += 1;
  onFinished();
};

const invalidateSoon = (): void => {
  if (isInvalidating) return;
  isInvalidating = true;
  setTimeout(() => {
    isInvalidating = false;
    invalidate();
  }, INVALIDATE_MS);
};

/**
 * Repeats a read that a write overlaps, because its response may have the previous state. If writes overlap every attempt,
 * returns the last result, and invalidates the data a second later.
 */
export const readAfterWrites = async <Result>(read: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    const before = finished;
    const result = await read();
    if (finished === before) return result;
    if (attempt < ATTEMPTS) continue;
    invalidateSoon();
    return result;
  }
};

/** An invitation is read with POST, because its token is in the body, so that no log has it. */
export const isAuthWrite = (method: string, path: string): boolean =>
  method !== "GET" && path !== "invitation";
