/** True if a person waits for the result. It may become true while the work is queued. */
export type IsUrgent = () => boolean;

interface Queue {
  running: number;
  waiting: { isUrgent: IsUrgent; start: () => void }[];
}

const always: IsUrgent = () => true;

/**
 * Runs at most `max` jobs of a key concurrently, urgent ones first, otherwise in the order of the calls. Only urgent jobs may take
 * the last `reserved` slots, so that no amount of other work delays them.
 */
export const keyedLimiter = <Key>(max: number, reserved = 0) => {
  const queues = new Map<Key, Queue>();
  const startJobs = (queue: Queue) => {
    const { waiting } = queue;
    while (queue.running < max) {
      const urgent = waiting.findIndex(({ isUrgent }) => isUrgent());
      const isReserved = urgent < 0 && queue.running >= max - reserved;
      const job = isReserved ? undefined : waiting.splice(Math.max(0, urgent), 1)[0];
      if (!job) return;
      queue.running += 1;
      job.start();
    }
  };
  /** Runs work for a key, or queues it while too much work of that key runs. */
  return async <Value>(key: Key, work: () => Promise<Value>, isUrgent = always): Promise<Value> => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    await new Promise<void>((start) => {
      queue.waiting.push({ isUrgent, start });
      startJobs(queue);
    });
    try {
      return await work();
    } finally {
      queue.running -= 1;
      startJobs(queue);
      if (queue.running === 0) queues.delete(key);
    }
  };
};

/** At most `max` calls run concurrently; the others wait in line. */
export const limiter = (max: number) => {
  const limited = keyedLimiter<"">(max);
  return <Value>(act: () => Promise<Value>): Promise<Value> => limited("", act);
};

/** Calls `act` for each item, at most `max` concurrently. After an error no further one begins; those that run end first. */
export const forEachLimited = async <Item>(
  items: Iterable<Item>,
  max: number,
  act: (item: Item) => Promise<unknown>,
): Promise<void> => {
  const left = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const work = async () => {
    for (let next = left.next(); !next.done && !failure; next = left.next())
      try {
        await act(next.value);
      } catch (error) {
        failure ??= { error };
      }
  };
  await Promise.all(Array.from({ length: max }, work));
  if (failure) throw failure.error;
};
