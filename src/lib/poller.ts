import type { Clock } from "./time.ts";

/** Work that runs again and again. */
export interface Poller {
  /** Starts the timer, also after a `stop` that has resolved. */
  start(): void;
  /** Runs the work now; a timer calls it. Resolves when the work that it started has finished; never rejects. */
  tick(): Promise<void>;
  /** Stops the timer, aborts the signal of running work and waits for it. Until the next `start`, a `tick` starts nothing. */
  stop(): Promise<void>;
}

/** The timers of a poller between `start` and `stop`, and the signal for the work meanwhile. */
const runTime = () => {
  let timers: ReturnType<typeof setTimeout>[] = [];
  let stopping = new AbortController();
  return {
    signal: () => stopping.signal,
    start(...started: ReturnType<typeof setTimeout>[]) {
      if (stopping.signal.aborted) stopping = new AbortController();
      timers = started;
    },
    stop() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
    },
  };
};

/**
 * Runs `work` every `ms`. A run never overlaps another: a tick during a run joins that run. An error ends only that run.
 * @param firstMs when the first run starts; 0: immediately
 * @param onError called with the errors of `work`
 */
export const repeat = (
  ms: number,
  work: (signal: AbortSignal) => unknown,
  { firstMs = ms, onError }: { firstMs?: number; onError: (error: unknown) => void },
): Poller => {
  const time = runTime();
  let running: Promise<void> | undefined;

  const run = async () => {
    try {
      await work(time.signal());
    } catch (error) {
      onError(error);
    }
  };
  const tick = async () => {
    if (!time.signal().aborted)
      running ??= run().finally(() => {
        running = undefined;
      });
    await running;
  };

  const next = () => void tick();

  return {
    tick,
    start() {
      time.start(setInterval(next, ms), ...(firstMs > 0 && firstMs < ms ? [setTimeout(next, firstMs)] : []));
      if (firstMs === 0) next();
    },
    async stop() {
      time.stop();
      await running;
    },
  };
};

interface DuePollerOptions<Item, Id> {
  /** Items that are due, the longest due first, at most `limit`. */
  due(now: number, limit: number): Promise<Item[]>;
  idOf(item: Item): Id;
  process(item: Item, signal: AbortSignal): Promise<unknown>;
  /** How many items may start in one tick, which is a second. */
  maxPerTick: number;
  maxConcurrent: number;
  clock: Clock;
  /** Called with the errors of `due` and `process`. */
  onError: (error: unknown) => void;
}

const TICK_MS = 1000;
/** How long an item rests after `process` rejected, for example because the disk is full. */
const REST_MS = 60_000;
const MAX_STOP_MS = 1000;

/**
 * Processes items when they are due. The database is the queue: `due` reads it each second, and `process` must change its item
 * so that it is not due any more. An item that became due while the service was down, or that was running when the service
 * stopped, is processed after the next start.
 *
 * An item is *running* while its call of `process` is pending (never two calls), *resting* for a minute after a rejected call,
 * which leaves it due, or *idle*. Ticks overlap: slow items only take up their share of `maxConcurrent`.
 *
 * `stop` waits at most a second for running items. After that they must not write anything.
 */
export const duePoller = <Item, Id>({
  due,
  idOf,
  process,
  maxPerTick,
  maxConcurrent,
  clock,
  onError,
}: DuePollerOptions<Item, Id>): Poller => {
  const running = new Map<Id, Promise<void>>();
  /** Until when an item rests. */
  const resting = new Map<Id, number>();
  const time = runTime();

  const attempt = async (item: Item) => {
    try {
      await process(item, time.signal());
    } catch (error) {
      resting.set(idOf(item), clock.now() + REST_MS);
      onError(error);
    }
  };

  const start = (item: Item): Promise<void> => {
    const id = idOf(item);
    const run = attempt(item).finally(() => running.delete(id));
    running.set(id, run);
    return run;
  };

  const startDue = async (): Promise<Promise<void>[]> => {
    const free = Math.min(maxPerTick, maxConcurrent - running.size);
    if (free <= 0) return [];
    const now = clock.now();
    const signal = time.signal();
    for (const [id, until] of resting) if (until <= now) resting.delete(id);
    // Running and resting items are still due in the database.
    const items = await due(now, free + running.size + resting.size);
    if (signal.aborted) return [];
    const idle = items.filter((item) => !running.has(idOf(item)) && !resting.has(idOf(item)));
    return idle.slice(0, free).map(start);
  };

  const tick = async () => {
    if (time.signal().aborted) return;
    try {
      await Promise.all(await startDue());
    } catch (error) {
      onError(error);
    }
  };

  return {
    tick,
    start() {
      time.start(setInterval(() => void tick(), TICK_MS));
    },
    async stop() {
      time.stop();
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timeoutTimer = setTimeout(resolve, MAX_STOP_MS);
      await Promise.race([Promise.all(running.values()), timeout]);
      clearTimeout(timeoutTimer);
    },
  };
};
