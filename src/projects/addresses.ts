import type { ProjectAddresses } from "./model.ts";

interface PlatformConfig {
  baseUrl: string | undefined;
  platformDomain: string;
  platformCnameTarget: string;
}

/** Returns a function that builds a project's CNAME target from its label. */
export const cnameTargetIn = (domain: string) => (label: string) => `${label}.${domain}`;

/** True for names that lead to the machine of whoever uses them (RFC 6761 section 6.3). */
const isLocal = (domain: string): boolean => domain === "localhost" || domain.endsWith(".localhost");

/**
 * Addresses have the scheme and port of BASE_URL. Without it, and below `localhost`, which no public address covers, they have
 * http and the port that the server listens on.
 */
export const projectAddresses = (
  { baseUrl, platformDomain, platformCnameTarget }: PlatformConfig,
  port: number,
): ProjectAddresses => ({
  addressOf(slug) {
    const publicUrl = isLocal(platformDomain) ? undefined : baseUrl;
    const { protocol, port: publicPort } = new URL(publicUrl ?? `http://localhost:${port}`);
    return new URL(`${protocol}//${slug}.${platformDomain}${publicPort && `:${publicPort}`}/`).href;
  },
  targetOf: cnameTargetIn(platformCnameTarget),
});
