import { isLoopback } from "../lib/client-address.ts";
import { Fault } from "../lib/errors.ts";
import { requestedName, type Destination } from "./hosts.ts";
import { errorResponse } from "./error-response.ts";

/** One hour, because a name may lose its certificate and be served over HTTP again. */
const CACHE_CONTROL = "public, max-age=3600";

/** Paths that take a key or a session. A redirect would hide that the client sent it in clear text. */
const CREDENTIAL_PATHS =
  /^http:\/\/[^/]*\/(?:(?:v1|platform|console\/(?:api|auth|session))(?:[/?#]|$)|metrics(?:[?#]|$))/;
/** Load balancers and supervisors request these by the machine's address. */
const HEALTH_PATHS = /^http:\/\/[^/]*\/(?:livez|readyz)(?:\?|$)/;
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const HTTPS_REQUIRED = new Fault("https_required");

/**
 * The response to a request over plain HTTP while the server also listens for HTTPS; undefined if HTTP serves it. Pages and
 * sites redirect to HTTPS if the name has a certificate. The API and the console serve only this machine over HTTP. They
 * reject other requests before the key is checked, so that an eavesdropper does not learn whether the key is valid.
 */
export const httpsOnly = ({
  parseHost,
  peerOf,
  trustsProxy,
  isSecured,
  port,
}: {
  parseHost: (host: string | null) => Destination;
  /** The address of the peer that sent a request. */
  peerOf: (request: Request) => string;
  /** True if the headers of a proxy in front determine a request's scheme. */
  trustsProxy: boolean;
  /** True if the name has a certificate that is valid now. */
  isSecured: (hostname: string) => boolean;
  /** The port to redirect to. */
  port: number;
}) => {
  const isForwarded = ({ headers }: Request) =>
    trustsProxy && (headers.has("x-forwarded-proto") || headers.has("x-forwarded-for"));
  /** With a trusted proxy in front, the client may be anywhere, even if the proxy runs on this machine. */
  const isFromNetwork = (request: Request) => isForwarded(request) || !isLoopback(peerOf(request));
  /** Undefined if the name has no certificate. */
  const redirect = ({ url, headers }: Request): Response | undefined => {
    const name = requestedName(headers.get("host"));
    const path = url.indexOf("/", "http://".length);
    if (!url.startsWith("http://") || path === -1 || !isSecured(name)) return undefined;
    const location = `https://${name}${port === 443 ? "" : `:${port}`}${url.slice(path)}`;
    return new Response(null, { status: 301, headers: { location, "cache-control": CACHE_CONTROL } });
  };

  return (request: Request): Response | undefined => {
    if (trustsProxy && request.headers.get("x-forwarded-proto") === "https") return undefined;
    const { url, method, headers } = request;
    if (parseHost(headers.get("host")).kind !== "api") return redirect(request);
    const mayCarryCredentials =
      headers.has("authorization") || !SAFE_METHODS.has(method) || CREDENTIAL_PATHS.test(url);
    const redirection = mayCarryCredentials ? undefined : redirect(request);
    if (redirection || !isFromNetwork(request) || (!mayCarryCredentials && HEALTH_PATHS.test(url)))
      return redirection;
    return errorResponse(HTTPS_REQUIRED);
  };
};
