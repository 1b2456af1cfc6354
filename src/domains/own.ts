/** Names that the service itself is reached by: no project can have one as its custom domain. */
export interface OwnNames {
  /** With everything below: PLATFORM_DOMAIN, PLATFORM_CNAME_TARGET. */
  zones: readonly string[];
  /** By themselves: the host names of the API. */
  hosts: readonly string[];
}

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/** @param name in A-labels */
export const isOwnName = (name: string, { zones, hosts }: OwnNames): boolean =>
  hosts.includes(name) || zones.some((zone) => isBelow(name, zone));

/**
 * IANA's special-use domain names, of which the public DNS has none for anybody: RFC 6761 (`example`, `invalid`,
 * `localhost`), RFC 6762 (`local`), RFC 7686 (`onion`), RFC 9476 (`alt`), ICANN's `internal`, and `arpa`, which is the
 * infrastructure's (`home.arpa` is below it). Not `test`: it is for tests, such as ours. Other unknown top-level domains
 * are taken, for an operator's own resolvers may know them.
 */
const SPECIAL_USE = ["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"];

/** @param name in A-labels */
export const isSpecialUse = (name: string): boolean => SPECIAL_USE.some((zone) => isBelow(name, zone));
