import type { Context } from "../../data/context.ts";
import { type Fault, fieldFault } from "../../lib/errors.ts";
import type { FieldRule } from "../../lib/field-problems.ts";
import {
  type Hostname,
  type ParsedHostname,
  HOSTNAME_REFUSALS,
  pairOf,
  parseDomainName,
  parseHostname,
  withoutWildcard,
  isWithin,
} from "../../lib/hostname.ts";

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
 * IANA's special-use domain names, which cannot be registered in the public DNS: RFC 6761 (`example`, `invalid`,
 * `localhost`), RFC 6762 (`local`), RFC 7686 (`onion`), RFC 9476 (`alt`), ICANN's `internal`, and `arpa`, for
 * infrastructure (`home.arpa` is below it). `test` is left out: tests use it. Other unknown top-level domains are accepted,
 * because an operator's own resolvers may know them.
 */
const SPECIAL_USE = ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"];

/** @param name in A-labels */
export const isSpecialUse = (name: string): boolean => SPECIAL_USE.some((zone) => isWithin(name, zone));

type NameSettings = Pick<
  Context["config"],
  "baseUrl" | "stagingBaseUrl" | "apiHosts" | "platformDomain" | "platformCnameTarget"
>;

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

/** Why a project cannot have a host name as its domain. */
export const NAME_REFUSALS = {
  ...HOSTNAME_REFUSALS,
  own_name: "is one of this service's own names, or a parent of one",
  special_use: "is a special-use name, which nobody can hold as a domain",
  wildcard_unsupported:
    "is a wildcard, which needs DNS-01 challenges: the operator must set HTTPS_PORT, and NAMESERVER, DNS_UPDATE_SERVER or DNS_CHALLENGE_HOOK",
} as const;

type NameRefusal = keyof typeof NAME_REFUSALS;

/** `format` unless it is listed. */
const RULES: Partial<Record<NameRefusal, FieldRule>> = {
  empty: "blank",
  too_long: "too_long",
  public_suffix: "reserved",
  own_name: "reserved",
  special_use: "reserved",
  wildcard_unsupported: "conflict",
};

/** The fault for a host name that a project cannot have. @param field of the request */
export const refusedName = (reason: NameRefusal, field = "hostname"): Fault =>
  fieldFault(
    "invalid_request",
    { field, rule: RULES[reason] ?? "format", reason },
    `${field}: ${NAME_REFUSALS[reason]}`,
  );

/** @throws Fault invalid_request */
const accept = (parsed: ParsedHostname, reservedNames: ReservedNames, field: string): Hostname => {
  if (!parsed.ok) throw refusedName(parsed.refusal, field);
  // A wildcard is refused with its domain: its certificate is valid for names of the service below it.
  const name = withoutWildcard(parsed.hostname.ascii);
  if (isReservedName(name, reservedNames)) throw refusedName("own_name", field);
  if (isSpecialUse(name)) throw refusedName("special_use", field);
  return parsed.hostname;
};

/** Parses a host name that a project can have, as a person types it. @throws Fault invalid_request */
export const acceptableHostname = (
  typed: string,
  reservedNames: ReservedNames,
  field = "hostname",
): Hostname => accept(parseHostname(typed), reservedNames, field);

/** The same for a domain of a project, which can be a wildcard if the service can use DNS-01. @throws Fault invalid_request */
export const acceptableDomain = (
  typed: string,
  reservedNames: ReservedNames,
  hasWildcards: boolean,
): Hostname => {
  const hostname = accept(parseDomainName(typed), reservedNames, "hostname");
  if (hostname.isWildcard && !hasWildcards) throw refusedName("wildcard_unsupported");
  return hostname;
};

/** The name with or without `www`, if there is one. @throws Fault invalid_request if a project cannot have it */
export const acceptablePair = (hostname: Hostname, reservedNames: ReservedNames): string | undefined => {
  const pair = pairOf(hostname);
  return pair && acceptableHostname(pair, reservedNames, "pair").ascii;
};

export const PROOF_LABEL = "_adoption-store";

/** The name whose TXT record names the project of a host name. */
export const proofNameOf = (hostname: string): string => `${PROOF_LABEL}.${hostname}`;
