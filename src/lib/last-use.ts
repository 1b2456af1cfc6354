/** Collects the times of last use by id, because storing each with its request would cost a write. */
export const lastUseRecorder = (touch: (lastUsed: ReadonlyMap<number, number>) => Promise<void>) => {
  let times = new Map<number, number>();
  return {
    record: (id: number, now: number) => void times.set(id, now),
    /** Stores the times of last use. If that fails, the next call stores them. */
    async flush(): Promise<void> {
      const batch = times;
      times = new Map();
      try {
        await touch(batch);
      } catch (error) {
        times = new Map([...batch, ...times]);
        throw error;
      }
    },
  };
};
