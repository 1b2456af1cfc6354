import { lruCache } from "../lib/lru.ts";
import type { Published, PublishedNames } from "./repository.ts";

const MAX_NAMES = 10_000;

/**
 * Caches what is published under which name: a query takes longer than the response. Every write changes `version` and
 * empties the cache, so a removed domain stops at once. A name with nothing published is not cached.
 */
export const cachedNames = (
  { bySlug, byHostname }: PublishedNames,
  version: () => number,
): PublishedNames => {
  const slugs = lruCache<string, Published>({ maxEntries: MAX_NAMES });
  const hostnames = lruCache<string, Published>({ maxEntries: MAX_NAMES });
  let cachedVersion = version();

  const clearIfStale = () => {
    const current = version();
    if (current === cachedVersion) return;
    slugs.clear();
    hostnames.clear();
    cachedVersion = current;
  };

  const find = (cache: typeof slugs, name: string, query: (name: string) => Published | undefined) => {
    clearIfStale();
    const cached = cache.get(name);
    if (cached) return cached;
    const published = query(name);
    if (published) cache.set(name, published);
    return published;
  };

  return {
    bySlug: (slug) => find(slugs, slug, bySlug),
    byHostname: (hostname) => find(hostnames, hostname, byHostname),
  };
};
