import { ObjectStoreError } from "./object-store-error.ts";

/** Ends a request that makes no progress for so many milliseconds. */
export const stallTimer = (ms: number) => {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const end = () => {
    const error = new ObjectStoreError(`it sent nothing for ${ms / 1000} s`);
    controller.abort(error);
    reject(error);
  };
  let timer = setTimeout(end, ms);
  return {
    signal: controller.signal,
    /** Rejects when the time is over. */
    ended,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    },
    stop: () => clearTimeout(timer),
  };
};

export type StallTimer = ReturnType<typeof stallTimer>;
