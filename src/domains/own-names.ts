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

const hostOf = (url: string | undefined): string[] => (url ? [new URL(url).hostname] : []);

const isPublic = (name: string): boolean => parseHostname(name).ok && !isSpecialUse(name);

/** The service's own names, as its settings say. */
export const ownNames = ({
  baseUrl,
  stagingBaseUrl,
  apiHosts,
  platformDomain,
  platformCnameTarget,
}: NameSettings) => {
  const hosts = [...apiHosts, ...hostOf(baseUrl), ...hostOf(stagingBaseUrl)];
  const secured = baseUrl?.startsWith("https:") ? hostOf(baseUrl) : [];
  const publicHosts = [...secured, ...apiHosts].filter(isPublic);
  const publicPlatformDomain = isPublic(platformDomain) ? platformDomain : undefined;
  return {
    /** What no project can have as its custom domain. */
    reserved: { zones: [platformDomain, platformCnameTarget], hosts } satisfies ReservedNames,
    /** True for a slug whose site would have a name of the service, or a parent of one. */
    isOwnSlug: (slug: string): boolean =>
      [...hosts, platformCnameTarget].some((name) => `.${name}`.endsWith(`.${slug}.${platformDomain}`)),
    /** Hosts of the service that a CA can certify, because the public DNS may have them. */
    publicHosts,
    /** The domain of the projects' sites, if the public DNS may have it. */
    publicPlatformDomain,
    /** True for the public hosts, and for every name below the public platform domain. */
    isOwnPublicName: (hostname: string): boolean =>
      publicHosts.includes(hostname) ||
      (publicPlatformDomain !== undefined && hostname.endsWith(`.${publicPlatformDomain}`)),
  };
};
