/** The host name of a Host header, without its port and a final dot. */
export const nameOf = (host: string | null): string =>
  (host ?? "").replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();

/** An hour: a name may lose its certificate, and then be served over HTTP again. */
const LASTING = "public, max-age=3600";

export interface SecureSettings {
  /** True if connections to this name can be secured now. */
  isSecured(hostname: string): boolean;
  /** Where visitors reach HTTPS. */
  portOf(): number;
  /** True if a proxy in front says how a request came. */
  trustsProxy: boolean;
}

/** Leads what comes over HTTP on to HTTPS, where the name has a certificate; undefined for all else. */
export const httpsRedirect =
  ({ isSecured, portOf, trustsProxy }: SecureSettings) =>
  ({ url, headers }: Request): Response | undefined => {
    const name = nameOf(headers.get("host"));
    const path = url.indexOf("/", "http://".length);
    if (!url.startsWith("http://") || path === -1 || !isSecured(name)) return undefined;
    // Behind a proxy that speaks HTTPS itself it would come back for ever.
    if (trustsProxy && headers.get("x-forwarded-proto") === "https") return undefined;
    const port = portOf();
    const location = `https://${name}${port === 443 ? "" : `:${port}`}${url.slice(path)}`;
    return new Response(null, { status: 301, headers: { location, "cache-control": LASTING } });
  };
