/** Whether somebody waits for the work; it may become so while the work waits for its turn. */
export type IsUrgent = () => boolean;

/** Runs work for a key: what is beyond the limit waits for its turn. */
export type Limiter = <Value>(key: string, isUrgent: IsUrgent, work: () => Promise<Value>) => Promise<Value>;

interface Turn {
  isUrgent: IsUrgent;
  begin: () => void;
}

interface Lane {
  running: number;
  waiting: Turn[];
}

/**
 * At most `limit` at once for each key; the others in the order in which they came, but what is urgent first. `reserved`
 * places are for that alone: what nobody waits for cannot hold it up, however long it takes.
 */
export const concurrencyLimiter = (limit: number, reserved: number): Limiter => {
  const lanes = new Map<string, Lane>();
  const next = ({ running, waiting }: Lane): Turn | undefined => {
    if (running >= limit) return undefined;
    const urgent = waiting.findIndex(({ isUrgent }) => isUrgent());
    if (urgent >= 0) return waiting.splice(urgent, 1)[0];
    return running < limit - reserved ? waiting.shift() : undefined;
  };
  const admit = (lane: Lane) => {
    for (let turn = next(lane); turn; turn = next(lane)) {
      lane.running += 1;
      turn.begin();
    }
  };
  const enter = (lane: Lane, isUrgent: IsUrgent): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.waiting.push({ isUrgent, begin: resolve });
    admit(lane);
    return promise;
  };
  const leave = (key: string, lane: Lane) => {
    lane.running -= 1;
    admit(lane);
    if (lane.running === 0) lanes.delete(key);
  };
  return async (key, isUrgent, work) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    await enter(lane, isUrgent);
    try {
      return await work();
    } finally {
      leave(key, lane);
    }
  };
};
