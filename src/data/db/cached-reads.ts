import { lruCache } from "../../lib/lru.ts";
import type { Database } from "./open.ts";

/**
 * Caches the values that `read` finds, until another process writes or `clear` is called. A value is never older than the last
 * acknowledged change of another process. Call `clear` after each change of this one.
 */
export const cachedReads = <Key, Value>(
  { fresh, foreignVersion: version }: Pick<Database, "fresh" | "foreignVersion">,
  maxEntries: number,
  read: (key: Key) => Value | undefined,
) => {
  const cached = lruCache<Key, Value>({ maxEntries, version });
  return {
    async find(key: Key): Promise<Value | undefined> {
      await fresh();
      const value = cached.get(key) ?? read(key);
      if (value !== undefined) cached.set(key, value);
      return value;
    },
    clear: cached.clear,
  };
};
