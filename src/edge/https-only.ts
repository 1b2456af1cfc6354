import { isLoopback } from "../lib/client-address.ts";
import { Fault } from "../lib/errors.ts";
import type { Destination } from "./hosts.ts";
import { errorResponse } from "./error-response.ts";

export interface HttpsOnlyOptions {
  readHost(host: string | null): Destination;
  /** The address of the peer that sent a request. */
  peerOf(request: Request): string;
  /** True if a proxy in front says how a request came. */
  trustsProxy: boolean;
  /** Where a request goes on over HTTPS; undefined if its name has no certificate. */
  redirect(request: Request): Response | undefined;
}

/** Paths that take a key or a session. A redirect would hide from their clients that they sent it in clear. */
const KEYED = /^http:\/\/[^/]*\/(?:(?:v1|platform|console\/(?:api|session))(?:[/?#]|$)|metrics(?:[?#]|$))/;
/** Load balancers and supervisors ask these by the machine's address. */
const HEALTH = /^http:\/\/[^/]*\/(?:livez|readyz)(?:\?|$)/;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const HTTPS_REQUIRED = new Fault("https_required");

/**
 * The response to a request over plain HTTP while the server listens for HTTPS too; undefined if it is served. Pages
 * and sites redirect to HTTPS where the name has a certificate. The API and the console answer over HTTP only to this
 * machine; they reject other requests before the key is checked, so that an eavesdropper does not learn whether it is valid.
 */
export const httpsOnly = ({ readHost, peerOf, trustsProxy, redirect }: HttpsOnlyOptions) => {
  const isForwarded = ({ headers }: Request) =>
    trustsProxy && (headers.has("x-forwarded-proto") || headers.has("x-forwarded-for"));
  /** Behind a trusted proxy the client may be anywhere, wherever the proxy runs. */
  const isOpen = (request: Request) => isForwarded(request) || !isLoopback(peerOf(request));

  return (request: Request): Response | undefined => {
    if (trustsProxy && request.headers.get("x-forwarded-proto") === "https") return undefined;
    const { url, method, headers } = request;
    if (readHost(headers.get("host")).kind !== "api") return redirect(request);
    const isKeyed = headers.has("authorization") || !SAFE.has(method) || KEYED.test(url);
    const redirected = isKeyed ? undefined : redirect(request);
    if (redirected || !isOpen(request) || (!isKeyed && HEALTH.test(url))) return redirected;
    return errorResponse(HTTPS_REQUIRED);
  };
};
