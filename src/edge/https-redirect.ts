/** The host name of a Host header, without its port and a final dot. */
export const hostnameOf = (host: string | null): string =>
  (host ?? "").replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();

/** An hour: a name may lose its certificate, and then be served over HTTP again. */
const LASTING = "public, max-age=3600";

export interface HttpsRedirectOptions {
  /** True if connections to this name can be secured now. */
  isSecured(hostname: string): boolean;
  /** The port of the redirect's target. */
  port: number;
}

/**
 * The port at which visitors reach HTTPS. BASE_URL names it, because a router may map another port to the one that the
 * server listens on.
 */
export const publicPort = (baseUrl: string | undefined, listening: number): number =>
  baseUrl?.startsWith("https:") ? Number(new URL(baseUrl).port || 443) : listening;

/** Leads what comes over HTTP on to HTTPS, where the name has a certificate; undefined for all else. */
export const httpsRedirect =
  ({ isSecured, port }: HttpsRedirectOptions) =>
  ({ url, headers }: Request): Response | undefined => {
    const name = hostnameOf(headers.get("host"));
    const path = url.indexOf("/", "http://".length);
    if (!url.startsWith("http://") || path === -1 || !isSecured(name)) return undefined;
    const location = `https://${name}${port === 443 ? "" : `:${port}`}${url.slice(path)}`;
    return new Response(null, { status: 301, headers: { location, "cache-control": LASTING } });
  };
