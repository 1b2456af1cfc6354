import { lruCache } from "../../lib/lru.ts";
import { parsePreviewLabel } from "../../lib/preview.ts";
import type { Published, PublishedNames, PublishedQueries } from "./repository.ts";

const MAX_NAMES = 10_000;

/**
 * Caches the published content of each name: a query takes longer than the response. Every write changes `version` and empties the
 * cache, so a removed domain and a removed deploy stop immediately. A name with nothing published is not cached.
 */
export const cachedNames = (
  { bySlug, byHostname, byDeploy }: PublishedQueries,
  version: () => number,
): PublishedNames => {
  const cached = (query: (name: string) => Published | undefined) => {
    const cache = lruCache<string, Published>({ maxEntries: MAX_NAMES, version });
    return (name: string): Published | undefined => {
      const found = cache.get(name);
      if (found) return found;
      const published = query(name);
      if (published) cache.set(name, published);
      return published;
    };
  };

  /** A project first: its slug may be older than previews. */
  const byLabel = (label: string): Published | undefined => {
    const published = bySlug(label);
    const preview = published ? undefined : parsePreviewLabel(label);
    return preview ? byDeploy(preview) : published;
  };

  return { bySlug: cached(byLabel), byHostname: cached(byHostname) };
};
