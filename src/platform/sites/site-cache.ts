import type { BlobSource } from "../deploys/blobs.ts";
import { type Manifest, loadManifest } from "../deploys/manifest.ts";
import { lruCache } from "../../lib/lru.ts";
import type { PublishedSite } from "./repository.ts";
import { HEADERS_FILE, REDIRECTS_FILE, type SiteRules, readRules } from "../deploys/rules/site-rules.ts";
import { type ResponseCache, responseCache } from "./file-responder.ts";
import { readChecked } from "./responses.ts";
import { type Site, openSite } from "./site.ts";

/** Files in all cached manifests: each takes about 650 bytes, as a rule does. A deploy with more files is cached alone. */
const MAX_FILES = 50_000;
/** Of the cached responses of all sites together. */
const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** Bytes of a file of rules that take as much memory as an entry of a manifest: they are kept in parts, and encoded. */
const RULE_BYTES = 200;

/** The size of a deploy's rules, in files. */
const weightOf = (rules: SiteRules | undefined, manifest: Manifest): number => {
  if (!rules) return 0;
  const bytes = [REDIRECTS_FILE, HEADERS_FILE].reduce(
    (sum, name) => sum + (manifest.get(name)?.size ?? 0),
    0,
  );
  return rules.redirects.length + rules.headers.length + Math.floor(bytes / RULE_BYTES);
};

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

  const loadRules = (manifest: Manifest) =>
    readRules(manifest, (file) => readChecked(blobs, file, file.hash));

  const read = async ({ deployId, manifest: hash }: PublishedSite): Promise<Site> => {
    const manifest = await loadManifest(blobs, hash);
    const rules = await loadRules(manifest);
    const site = openSite({ key: String(deployId), manifest, rules, blobs, responses });
    sites.set(deployId, site, Math.min(manifest.size + weightOf(rules, manifest), maxFiles));
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
