/** True if a person waits for the result. It may become true while the work is queued. */
export type IsUrgent = () => boolean;

interface Queue {
  running: number;
  waiting: { isUrgent: IsUrgent; start: () => void }[];
}

/**
 * Runs at most `limit` jobs of a key concurrently, urgent ones first, otherwise in the order of the calls. Only urgent jobs may
 * take the last `reserved` slots, so that no amount of other work delays them.
 */
export const concurrencyLimiter = (limit: number, reserved: number) => {
  const queues = new Map<string, Queue>();
  const startJobs = (queue: Queue) => {
    const { waiting } = queue;
    while (queue.running < limit) {
      const urgent = waiting.findIndex(({ isUrgent }) => isUrgent());
      const isReserved = urgent < 0 && queue.running >= limit - reserved;
      const job = isReserved ? undefined : waiting.splice(Math.max(0, urgent), 1)[0];
      if (!job) return;
      queue.running += 1;
      job.start();
    }
  };
  /** Runs work for a key, or queues it while too much work of that key runs. */
  return async <Value>(key: string, isUrgent: IsUrgent, work: () => Promise<Value>): Promise<Value> => {
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
