/** True if a person waits for the result. It may become true while the work is queued. */
export type IsUrgent = () => boolean;

/** Runs work for a key, or queues it while too much work of that key runs. */
type Limiter = <Value>(key: string, isUrgent: IsUrgent, work: () => Promise<Value>) => Promise<Value>;

interface Job {
  isUrgent: IsUrgent;
  start: () => void;
}

interface Queue {
  running: number;
  waiting: Job[];
}

/**
 * Runs at most `limit` jobs of a key concurrently, urgent ones first, otherwise in the order of the calls. Only urgent jobs may
 * take the last `reserved` slots, so that no amount of other work delays them.
 */
export const concurrencyLimiter = (limit: number, reserved: number): Limiter => {
  const queues = new Map<string, Queue>();
  const next = ({ running, waiting }: Queue): Job | undefined => {
    if (running >= limit) return undefined;
    const urgent = waiting.findIndex(({ isUrgent }) => isUrgent());
    if (urgent >= 0) return waiting.splice(urgent, 1)[0];
    return running < limit - reserved ? waiting.shift() : undefined;
  };
  const startJobs = (queue: Queue) => {
    for (let job = next(queue); job; job = next(queue)) {
      queue.running += 1;
      job.start();
    }
  };
  const acquire = (queue: Queue, isUrgent: IsUrgent): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.waiting.push({ isUrgent, start: resolve });
    startJobs(queue);
    return promise;
  };
  const release = (key: string, queue: Queue) => {
    queue.running -= 1;
    startJobs(queue);
    if (queue.running === 0) queues.delete(key);
  };
  return async (key, isUrgent, work) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    await acquire(queue, isUrgent);
    try {
      return await work();
    } finally {
      release(key, queue);
    }
  };
};
