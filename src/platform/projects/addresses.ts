import { previewLabel } from "../../lib/preview.ts";
import type { ProjectAddresses } from "./model.ts";
import { cnameTargetIn } from "./service.ts";

interface PlatformConfig {
  baseUrl: string | undefined;
  platformDomain: string;
  platformCnameTarget: string;
}

/** True for names that resolve to the client's own machine (RFC 6761 section 6.3). */
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

interface PreviewConfig extends PlatformConfig {
  httpPort?: number | undefined;
}

/** The address of a deploy's preview; undefined if it has none. */
type PreviewAddress = (slug: string, deployId: number) => string | undefined;

/**
 * Previews share the certificate of all names below PLATFORM_DOMAIN. Without one they are served over HTTP only: a certificate
 * for each deploy would exhaust a CA's limit for a domain.
 * @param isSecured true for a name with a valid certificate; undefined if a proxy in front has the certificates
 */
export const previewAddress =
  (config: PreviewConfig, port: number, isSecured?: (hostname: string) => boolean): PreviewAddress =>
  (slug, deployId) => {
    const label = previewLabel({ slug, deployId });
    if (label === undefined) return undefined;
    const { httpPort, platformDomain } = config;
    const hostname = `${label}.${platformDomain}`;
    const address = projectAddresses(config, port).addressOf(label);
    if (!address.startsWith("https:") || !isSecured || isSecured(hostname)) return address;
    return httpPort === undefined ? undefined : new URL(`http://${hostname}:${httpPort}/`).href;
  };
