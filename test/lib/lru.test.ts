import { expect, test } from "bun:test";
import { lruCache } from "../../src/lib/lru.ts";

const KEYS = ["a", "b", "c", "d"];

/** The keys that are still in the cache, each with its own name as value. */
const keysOf = (cache: { get(key: string): string | undefined }) => KEYS.filter((key) => cache.get(key));

test("an LRU cache returns the value that was set, and undefined for any other key", () => {
  const cache = lruCache<string, number>({ maxEntries: 2 });
  cache.set("a", 1);
  cache.set("a", 2);
  expect([cache.get("a"), cache.get("b")]).toEqual([2, undefined]);
});

test("an LRU cache that is full drops the entry that was read or set least recently", () => {
  const cache = lruCache<string, string>({ maxEntries: 3 });
  for (const key of ["a", "b", "c"]) cache.set(key, key);
  cache.get("a");
  cache.set("b", "b");
  cache.set("d", "d");
  expect(keysOf(cache)).toEqual(["a", "b", "d"]);
});

test("an LRU cache drops entries until a new one fits into maxBytes", () => {
  const cache = lruCache<string, string>({ maxEntries: 10, maxBytes: 100 });
  for (const key of ["a", "b", "c"]) cache.set(key, key, 33);
  cache.set("d", "d", 34);
  expect(keysOf(cache)).toEqual(["b", "c", "d"]);
  cache.set("a", "a", 67);
  expect(keysOf(cache)).toEqual(["a"]);
});

test("an LRU cache keeps everything else when an entry is larger than the whole cache", () => {
  const cache = lruCache<string, string>({ maxEntries: 10, maxBytes: 100 });
  cache.set("a", "a", 60);
  cache.set("b", "b", 40);
  cache.set("b", "b", 101);
  expect(keysOf(cache)).toEqual(["a"]);
});

test("an LRU cache does not count the bytes of replaced, deleted and cleared entries", () => {
  const cache = lruCache<string, string>({ maxEntries: 10, maxBytes: 100 });
  cache.set("a", "a", 100);
  expect(keysOf(cache)).toEqual(["a"]);
  cache.set("a", "a", 50);
  cache.set("b", "b", 50);
  expect(keysOf(cache)).toEqual(["a", "b"]);
  cache.delete("b");
  cache.delete("c");
  cache.set("c", "c", 50);
  expect(keysOf(cache)).toEqual(["a", "c"]);
  cache.clear();
  cache.set("a", "a", 50);
  cache.set("d", "d", 50);
  expect(keysOf(cache)).toEqual(["a", "d"]);
});

test("an LRU cache counts no bytes of an entry that is set without bytes", () => {
  const cache = lruCache<string, string>({ maxEntries: 10, maxBytes: 1 });
  for (const key of KEYS) cache.set(key, key);
  expect(keysOf(cache)).toEqual(KEYS);
});

test("an LRU cache is empty once its version has changed, and keeps later entries", () => {
  let version = 1;
  const cache = lruCache<string, string>({ maxEntries: 3, maxBytes: 100, version: () => version });
  expect(cache.get("a")).toBeUndefined();
  cache.set("a", "a", 100);
  expect(keysOf(cache)).toEqual(["a"]);
  version = 2;
  expect(keysOf(cache)).toEqual([]);
  cache.set("b", "b", 100);
  expect(keysOf(cache)).toEqual(["b"]);
});

test("an LRU cache has the number of its entries as size", () => {
  const cache = lruCache<string, string>({ maxEntries: 3 });
  expect(cache.size).toBe(0);
  for (const key of KEYS) cache.set(key, key);
  expect(cache.size).toBe(3);
});
