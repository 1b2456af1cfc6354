import type { ProjectAddresses } from "./model.ts";

interface PlatformConfig {
  baseUrl: string | undefined;
  platformDomain: string;
  platformCnameTarget: string;
}

/** Makes the CNAME target of a project from its label. */
export const cnameTargetIn = (domain: string) => (label: string) => `${label}.${domain}`;

/** Projects have the scheme and port of BASE_URL; without it, http and the port that the server listens on. */
export const projectAddresses = (
  { baseUrl, platformDomain, platformCnameTarget }: PlatformConfig,
  port: number,
): ProjectAddresses => ({
  addressOf(slug) {
    const { protocol, port: shown } = new URL(baseUrl ?? `http://localhost:${port}`);
    return new URL(`${protocol}//${slug}.${platformDomain}${shown && `:${shown}`}/`).href;
  },
  targetOf: cnameTargetIn(platformCnameTarget),
});
