/** Names that the service itself is reached by: no project can have one, or a parent of one, as its custom domain. */
export interface ReservedNames {
  /** With everything below: PLATFORM_DOMAIN, PLATFORM_CNAME_TARGET. */
  zones: readonly string[];
  /** By themselves: the host names of the API. */
  hosts: readonly string[];
}

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/**
 * True for the service's own names and for their parents. The host of BASE_URL is often a label below a domain with this
 * machine's address, and a project with that domain could set cookies and get certificates for the names below it.
 * @param name in A-labels, not a public suffix
 */
export const isReservedName = (name: string, { zones, hosts }: ReservedNames): boolean =>
  zones.some((zone) => isBelow(name, zone)) || [...zones, ...hosts].some((own) => isBelow(own, name));

/**
 * IANA's special-use domain names, of which the public DNS has none for anybody: RFC 6761 (`example`, `invalid`,
 * `localhost`), RFC 6762 (`local`), RFC 7686 (`onion`), RFC 9476 (`alt`), ICANN's `internal`, and `arpa`, which is the
 * infrastructure's (`home.arpa` is below it). Not `test`: it is for tests, such as ours. Other unknown top-level domains
 * are taken, for an operator's own resolvers may know them.
 */
const SPECIAL_USE = ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"];

/** @param name in A-labels */
export const isSpecialUse = (name: string): boolean => SPECIAL_USE.some((zone) => isBelow(name, zone));
