/** Collects the times of last use by id, because storing each with its request would cost a write. */
export const lastUseRecorder = (touch: (lastUsed: ReadonlyMap<number, number>) => Promise<void>) => {
  const times = new Map<number, number>();
  return {
    /** Records the time at which an id was used. */
    record: (id: number, now: number): void => void times.set(id, now),
    /** Stores the times of last use. If that fails, the next call stores them. */
    async flush(): Promise<void> {
      const batch = new Map(times);
      times.clear();
      try {
        await touch(batch);
      } catch (error) {
        for (const [id, time] of batch) if (!times.has(id)) times.set(id, time);
        throw error;
      }
    },
  };
};
