import type { Blobs } from "../deploys/blobs.ts";
import { loadManifest } from "../deploys/stored.ts";
import { type KeptAnswers, keptAnswers } from "./kept.ts";
import type { PublishedSite } from "./repository.ts";
import { type Site, openSite } from "./site.ts";

/** Most files in the manifests that are kept: each takes about 650 bytes. One deploy may have more by itself. */
const MAX_FILES = 50_000;
/** Of bodies and headers of kept answers, for all sites together. */
const KEPT_BYTES = 16 * 2 ** 20;

interface Opened {
  site: Site;
  files: number;
}

/** Keeps the sites that were asked for last, as long as they have no more files than `most` together. */
const keptSites = (most: number) => {
  /** The one that was asked for last comes last. */
  const sites = new Map<number, Opened>();
  let files = 0;
  let last: number | undefined;

  const drop = (id: number) => {
    files -= sites.get(id)?.files ?? 0;
    sites.delete(id);
  };

  return {
    get(id: number): Site | undefined {
      const opened = sites.get(id);
      if (opened && id !== last) {
        sites.delete(id);
        sites.set(id, opened);
        last = id;
      }
      return opened?.site;
    },
    keep(id: number, opened: Opened) {
      drop(id);
      for (const oldest of sites.keys()) {
        if (files + opened.files <= most) break;
        drop(oldest);
      }
      sites.set(id, opened);
      last = id;
      files += opened.files;
    },
  };
};

export interface DeployedSites {
  /** @throws BlobDamaged if the deploy's manifest is missing or damaged, or the system's error if it cannot be read now */
  open(published: PublishedSite): Site | Promise<Site>;
}

/** The deploys as sites: one that is asked for often is read once. */
export const siteCache = (
  blobs: Pick<Blobs, "pathOf" | "damage">,
  { files = MAX_FILES, kept = keptAnswers(KEPT_BYTES) }: { files?: number; kept?: KeptAnswers } = {},
): DeployedSites => {
  const sites = keptSites(files);
  /** Those who ask while it is read wait for the same reading. */
  const reading = new Map<number, Promise<Site>>();

  const read = async ({ deployId, manifest: hash }: PublishedSite): Promise<Site> => {
    const manifest = await loadManifest(blobs, hash);
    const site = openSite({ name: String(deployId), manifest, blobs, kept });
    sites.keep(deployId, { site, files: manifest.size });
    return site;
  };

  return {
    open(published) {
      const { deployId } = published;
      const known = sites.get(deployId) ?? reading.get(deployId);
      if (known) return known;
      const started = read(published).finally(() => reading.delete(deployId));
      reading.set(deployId, started);
      return started;
    },
  };
};
