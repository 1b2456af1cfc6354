/**
 * A cache that drops the least recently used entry. `undefined` is not a value: it means absent. A `get` takes about 50 ns: a
 * `Map` keeps its keys in insertion order, so a hit inserts its key again.
 * @param version a `get` after it changes finds nothing. Entries must be as new as the version of the last `get`.
 */
export const lruCache = <Key, Value>({
  maxEntries,
  maxBytes = Infinity,
  version = () => 0,
}: {
  maxEntries: number;
  maxBytes?: number;
  version?: () => number;
}) => {
  const entries = new Map<Key, { value: Value; bytes: number }>();
  let totalBytes = 0;
  let lastVersion = 0;

  const remove = (key: Key): void => {
    totalBytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  const clear = (): void => {
    entries.clear();
    totalBytes = 0;
  };

  return {
    get(key: Key): Value | undefined {
      const current = version();
      if (current !== lastVersion) clear();
      lastVersion = current;
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    /** @param bytes counts towards `maxBytes`; an entry larger than `maxBytes` is not stored */
    set(key: Key, value: Value, bytes = 0): void {
      remove(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      totalBytes += bytes;
      for (const leastRecent of entries.keys()) {
        if (entries.size <= maxEntries && totalBytes <= maxBytes) return;
        remove(leastRecent);
      }
    },
    delete: remove,
    clear,
    /** The number of entries. */
    get size(): number {
      return entries.size;
    },
  };
};
