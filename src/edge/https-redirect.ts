/** The host name in a Host header, without its port and a final dot. */
export const hostnameOf = (host: string | null): string =>
  (host ?? "").replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();

/** One hour, because a name may lose its certificate and be served over HTTP again. */
const CACHE_CONTROL = "public, max-age=3600";

export interface HttpsRedirectOptions {
  /** True if the name has a certificate that is valid now. */
  isSecured(hostname: string): boolean;
  /** The port to redirect to. */
  port: number;
}

/** The port at which visitors reach HTTPS: BASE_URL's if it has one, because a router may map it to the listening port. */
export const publicPort = (baseUrl: string | undefined, listeningPort: number): number =>
  baseUrl?.startsWith("https:") ? Number(new URL(baseUrl).port || 443) : listeningPort;

/** The redirect of a request over HTTP to HTTPS; undefined if its name has no certificate. */
export const httpsRedirect =
  ({ isSecured, port }: HttpsRedirectOptions) =>
  ({ url, headers }: Request): Response | undefined => {
    const name = hostnameOf(headers.get("host"));
    const path = url.indexOf("/", "http://".length);
    if (!url.startsWith("http://") || path === -1 || !isSecured(name)) return undefined;
    const location = `https://${name}${port === 443 ? "" : `:${port}`}${url.slice(path)}`;
    return new Response(null, { status: 301, headers: { location, "cache-control": CACHE_CONTROL } });
  };
