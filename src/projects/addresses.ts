import type { ProjectAddresses } from "./model.ts";

/** How the platform is reached. */
interface Platform {
  baseUrl: string | undefined;
  platformDomain: string;
  platformCnameTarget: string;
}

/** The CNAME target of a project, by its label. */
export const cnameTargetIn = (domain: string) => (label: string) => `${label}.${domain}`;

/** Where projects are published: reached as the API is, by BASE_URL's scheme and port or where it listens. */
export const projectAddresses = (
  { baseUrl, platformDomain, platformCnameTarget }: Platform,
  port: number,
): ProjectAddresses => ({
  addressOf(slug) {
    const { protocol, port: shown } = new URL(baseUrl ?? `http://localhost:${port}`);
    return new URL(`${protocol}//${slug}.${platformDomain}${shown && `:${shown}`}/`).href;
  },
  targetOf: cnameTargetIn(platformCnameTarget),
});
