import { type HostNames, parseHostHeader } from "./hosts.ts";

/** Looks up sites; undefined if no site has the name. */
interface Sites {
  bySlug(slug: string): unknown;
  byHostname(hostname: string): { kind: string; stage?: string } | undefined;
}

/** A suspended domain keeps its certificate, so that visitors get a page over HTTPS. */
const isSecured = (published: ReturnType<Sites["byHostname"]>): boolean =>
  published !== undefined && (published.kind !== "unserved" || published.stage === "suspended");

/**
 * True for host names of the API, of sites and of suspended domains, spelled in lower case and without a port or a final dot.
 */
export const servedBy =
  (sites: Sites, hosts: HostNames) =>
  (hostname: string): boolean => {
    const destination = parseHostHeader(hostname, hosts);
    if (destination.kind === "api") return hosts.api.has(hostname);
    if (destination.kind === "project")
      return (
        hostname === `${destination.slug}.${hosts.platformDomain}` &&
        sites.bySlug(destination.slug) !== undefined
      );
    return (
      destination.kind === "custom" &&
      hostname === destination.hostname &&
      isSecured(sites.byHostname(destination.hostname))
    );
  };
