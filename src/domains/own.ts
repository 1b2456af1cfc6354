/** Names that the service itself is reached by: no project can have one as its custom domain. */
export interface OwnNames {
  /** With everything below: PLATFORM_DOMAIN, PLATFORM_CNAME_TARGET. */
  zones: readonly string[];
  /** By themselves: the host names of the API. */
  hosts: readonly string[];
}

/** Never names of the public DNS: RFC 6761 section 6.3, RFC 6762 section 3. */
const LOCAL = ["localhost", "local"];

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/** @param name in A-labels */
export const isOwnName = (name: string, { zones, hosts }: OwnNames): boolean =>
  hosts.includes(name) || [...zones, ...LOCAL].some((zone) => isBelow(name, zone));
