import type { BlobSource } from "../deploys/blobs.ts";
import { loadManifest } from "../deploys/manifest.ts";
import { lruCache } from "../lib/lru.ts";
import type { PublishedSite } from "./repository.ts";
import { type ResponseCache, type Site, openSite, responseCache } from "./site.ts";

/** Files in all cached manifests: each takes about 650 bytes. A deploy with more files is cached alone. */
const MAX_FILES = 50_000;
/** Of the cached responses of all sites together. */
const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** Opens deploys as sites, and caches the manifests and the responses that were used last. */
export const siteCache = (
  blobs: BlobSource,
  {
    maxFiles = MAX_FILES,
    responses = responseCache(MAX_RESPONSE_BYTES),
  }: { maxFiles?: number; responses?: ResponseCache } = {},
) => {
  const sites = lruCache<number, Site>({ maxEntries: Infinity, maxBytes: maxFiles });
  /** Concurrent requests share one read. */
  const reading = new Map<number, Promise<Site>>();

  const read = async ({ deployId, manifest: hash }: PublishedSite): Promise<Site> => {
    const manifest = await loadManifest(blobs, hash);
    const site = openSite({ key: String(deployId), manifest, blobs, responses });
    sites.set(deployId, site, Math.min(manifest.size, maxFiles));
    return site;
  };

  return {
    /** @throws BlobDamaged if the manifest is missing or damaged, or the system's error if it cannot be read now */
    open(published: PublishedSite): Site | Promise<Site> {
      const { deployId } = published;
      const opened = sites.get(deployId) ?? reading.get(deployId);
      if (opened) return opened;
      const started = read(published).finally(() => reading.delete(deployId));
      reading.set(deployId, started);
      return started;
    },
  };
};

export type SiteCache = ReturnType<typeof siteCache>;
