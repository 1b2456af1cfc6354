import type { Clock } from "./time.ts";

export interface Poller {
  /** Deals from now on with what is due. */
  start(): void;
  /** Begins with as much of what is due as may begin at once; answers when that has ended. Never fails. */
  tick(): Promise<void>;
  /** Begins no more, and waits a second at the most for what is under way. */
  stop(): Promise<void>;
}

export interface PollerOptions<Item, Id> {
  /** Those whose time has come, the longest due first, `limit` at the most. */
  due(now: number, limit: number): Promise<Item[]>;
  idOf(item: Item): Id;
  process(item: Item): Promise<unknown>;
  /** How many begin in one tick, a second. */
  maxPerTick: number;
  maxConcurrent: number;
  clock: Clock;
  /** Told of what could not be read, dealt with or written down. */
  failed: (error: unknown) => void;
}

const TICK_MS = 1000;
/** How long an item rests that failed on our side, such as by a full disk: nobody is asked every second for that. */
const REST_MS = 60_000;
const PATIENCE_MS = 1000;

/** Deals with items when their time has come, also if it came while the service was down; never with one twice at once. */
export const poller = <Item, Id>({
  due,
  idOf,
  process: deal,
  maxPerTick: mostATick,
  maxConcurrent: mostAtOnce,
  clock,
  failed,
}: PollerOptions<Item, Id>): Poller => {
  const running = new Map<Id, Promise<void>>();
  /** Until when an item rests; at most those that began in `REST_MS`. */
  const resting = new Map<Id, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isStopped = false;

  const attempt = async (item: Item) => {
    try {
      await deal(item);
    } catch (error) {
      resting.set(idOf(item), clock.now() + REST_MS);
      failed(error);
    }
  };

  const begin = (item: Item): Promise<void> => {
    const id = idOf(item);
    const ended = attempt(item).finally(() => running.delete(id));
    running.set(id, ended);
    return ended;
  };

  const beginDue = async (): Promise<Promise<void>[]> => {
    const free = Math.min(mostATick, mostAtOnce - running.size);
    if (free <= 0) return [];
    const now = clock.now();
    for (const [id, until] of resting) if (until <= now) resting.delete(id);
    // Those that are under way, or were in vain, are due until it is written down.
    const found = await due(now, free + running.size + resting.size);
    if (isStopped) return [];
    const next = found.filter((item) => !running.has(idOf(item)) && !resting.has(idOf(item)));
    return next.slice(0, free).map(begin);
  };

  const tick = async () => {
    if (isStopped) return;
    try {
      await Promise.all(await beginDue());
    } catch (error) {
      failed(error);
    }
  };

  return {
    tick,
    start() {
      timer = setInterval(() => void tick(), TICK_MS);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const patience = setTimeout(resolve, PATIENCE_MS);
      await Promise.race([Promise.all(running.values()), late]);
      clearTimeout(patience);
    },
  };
};
