import type { ProjectAddresses } from "./model.ts";

interface PlatformConfig {
  baseUrl: string | undefined;
  platformDomain: string;
  platformCnameTarget: string;
}

/** Returns a function that builds a project's CNAME target from its label. */
export const cnameTargetIn = (domain: string) => (label: string) => `${label}.${domain}`;

/** Addresses have the scheme and port of BASE_URL; without it, http and the port that the server listens on. */
export const projectAddresses = (
  { baseUrl, platformDomain, platformCnameTarget }: PlatformConfig,
  port: number,
): ProjectAddresses => ({
  addressOf(slug) {
    const { protocol, port: publicPort } = new URL(baseUrl ?? `http://localhost:${port}`);
    return new URL(`${protocol}//${slug}.${platformDomain}${publicPort && `:${publicPort}`}/`).href;
  },
  targetOf: cnameTargetIn(platformCnameTarget),
});
