/** The longest time of a timer: a longer one fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms`. @throws the reason of `signal` as soon as it is aborted */
export const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener("abort", stop, { once: true });
  });

/** A signal that is aborted with the signal of the caller, or when `ms` have passed since the last `restart`. */
export const deadline = (ms: number, outer?: AbortSignal) => {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasExpired = false;
  const stop = () => controller.abort(outer?.reason);
  const expire = () => {
    hasExpired = true;
    controller.abort();
  };
  const clear = () => {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  };
  const restart = () => {
    clearTimeout(timer);
    if (ms > 0) timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
  };
  if (outer?.aborted) stop();
  outer?.addEventListener("abort", stop, { once: true });
  restart();
  return { signal: controller.signal, hasExpired: () => hasExpired, restart, clear };
};
