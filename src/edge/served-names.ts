import { type HostNames, destinationOf } from "./hosts.ts";

/** What is published: undefined for a name under which nothing is. */
interface Published {
  bySlug(slug: string): unknown;
  byHostname(hostname: string): unknown;
}

/**
 * True for host names that something is served under. Each has one spelling: in lower case, without a port and a final dot.
 */
export const servedBy =
  (published: Published, hosts: HostNames) =>
  (hostname: string): boolean => {
    const place = destinationOf(hostname, hosts);
    if (place.kind === "api") return hosts.api.has(hostname);
    if (place.kind === "project")
      return (
        hostname === `${place.slug}.${hosts.platformDomain}` && published.bySlug(place.slug) !== undefined
      );
    return (
      place.kind === "custom" &&
      hostname === place.hostname &&
      published.byHostname(place.hostname) !== undefined
    );
  };
