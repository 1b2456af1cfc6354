import { isWithin } from "../lib/dns-name.ts";
import { parseHostname } from "../lib/hostname.ts";

/** The service's own names: no project can have one, or a parent of one, as its custom domain. */
export interface ReservedNames {
  /** With everything below: PLATFORM_DOMAIN, PLATFORM_CNAME_TARGET. */
  zones: readonly string[];
  /** By themselves: the host names of the API. */
  hosts: readonly string[];
}

/**
 * True for the service's own names and for their parents. The host of BASE_URL is often a label below a domain with this
 * machine's address, and a project with that domain could set cookies and get certificates for the names below it.
 * @param name in A-labels, not a public suffix
 */
export const isReservedName = (name: string, { zones, hosts }: ReservedNames): boolean =>
  zones.some((zone) => isWithin(name, zone)) || [...zones, ...hosts].some((own) => isWithin(own, name));

/**
 * IANA's special-use domain names, which nobody can hold in the public DNS: RFC 6761 (`example`, `invalid`,
 * `localhost`), RFC 6762 (`local`), RFC 7686 (`onion`), RFC 9476 (`alt`), ICANN's `internal`, and `arpa`, for
 * infrastructure (`home.arpa` is below it). `test` is left out: tests use it. Other unknown top-level domains are accepted,
 * because an operator's own resolvers may know them.
 */
const SPECIAL_USE = ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"];

/** @param name in A-labels */
export const isSpecialUse = (name: string): boolean => SPECIAL_USE.some((zone) => isWithin(name, zone));

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

/** The service's own names, from its settings. */
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
    /** Names that no project can have as a custom domain. */
    reserved: { zones: [platformDomain, platformCnameTarget], hosts } satisfies ReservedNames,
    /** True for a slug whose site would get one of the service's names, or a parent of one. */
    isOwnSlug: (slug: string): boolean =>
      [...hosts, platformCnameTarget].some((name) => `.${name}`.endsWith(`.${slug}.${platformDomain}`)),
    /** The service's hosts that may be in the public DNS, so that a CA can certify them. */
    publicHosts,
    /** The domain of the projects' sites, if it may be in the public DNS. */
    publicPlatformDomain,
    /** True for the public hosts, and for every name below the public platform domain. */
    isOwnPublicName: (hostname: string): boolean =>
      publicHosts.includes(hostname) ||
      (publicPlatformDomain !== undefined && hostname.endsWith(`.${publicPlatformDomain}`)),
  };
};
