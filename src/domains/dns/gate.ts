/** Runs work for a key: what is beyond the limit waits for its turn. */
export type Gate = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>;

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/** At most `limit` at once for each key; the others in the order in which they came. */
export const gate = (limit: number): Gate => {
  const lanes = new Map<string, Lane>();
  const enter = (lane: Lane): Promise<void> | undefined => {
    if (lane.running < limit) {
      lane.running += 1;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.waiting.push(resolve);
    return promise;
  };
  const leave = (key: string, lane: Lane) => {
    const next = lane.waiting.shift();
    // Whoever waited takes over the place of who leaves.
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(key);
  };
  return async (key, work) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    await enter(lane);
    try {
      return await work();
    } finally {
      leave(key, lane);
    }
  };
};
