import { parseHostname } from "../lib/hostname.ts";
import { type ReservedNames, isSpecialUse } from "./reserved-names.ts";

/** The settings that name the service. */
interface NameSettings {
  baseUrl: string | undefined;
  stagingBaseUrl: string | undefined;
  apiHosts: readonly string[];
  platformDomain: string;
  platformCnameTarget: string;
}

export interface OwnNames {
  /** What no project can have as its custom domain. */
  reserved: ReservedNames;
  /** True for a slug whose site would have a name of the service, or a parent of one. */
  isOwnSlug(slug: string): boolean;
  /** Hosts of the service that a CA can certify, because the public DNS may have them. */
  publicHosts: readonly string[];
  /** The domain of the projects' sites, if the public DNS may have it. */
  publicPlatformDomain: string | undefined;
  /** True for the public hosts, and for every name below the public platform domain. */
  isOwnPublicName(hostname: string): boolean;
}

const hostOf = (url: string | undefined): string[] => (url ? [new URL(url).hostname] : []);

const isPublic = (name: string): boolean => parseHostname(name).ok && !isSpecialUse(name);

/** The service's own names, as its settings say. */
export const ownNames = ({
  baseUrl,
  stagingBaseUrl,
  apiHosts,
  platformDomain,
  platformCnameTarget,
}: NameSettings): OwnNames => {
  const hosts = [...apiHosts, ...hostOf(baseUrl), ...hostOf(stagingBaseUrl)];
  const secured = baseUrl?.startsWith("https:") ? hostOf(baseUrl) : [];
  const publicHosts = [...secured, ...apiHosts].filter(isPublic);
  const publicPlatformDomain = isPublic(platformDomain) ? platformDomain : undefined;
  return {
    reserved: { zones: [platformDomain, platformCnameTarget], hosts },
    isOwnSlug: (slug) =>
      [...hosts, platformCnameTarget].some((name) => `.${name}`.endsWith(`.${slug}.${platformDomain}`)),
    publicHosts,
    publicPlatformDomain,
    isOwnPublicName: (hostname) =>
      publicHosts.includes(hostname) ||
      (publicPlatformDomain !== undefined && hostname.endsWith(`.${publicPlatformDomain}`)),
  };
};
