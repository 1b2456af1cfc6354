import { Fault, faultOf } from "../lib/errors.ts";
import { hasAborted } from "../http/body.ts";
import { type FinishRequest, STANDING, isServerFailure } from "../http/lifecycle.ts";
import { parsePreviewLabel } from "../lib/preview.ts";
import type { Logger } from "../lib/log.ts";
import {
  errorResponse,
  type FinishUnrouted,
  finishUnrouted,
  siteFailure,
  summaryOf,
} from "./error-response.ts";
import { isForWorker } from "./forwarding.ts";
import type { Handler } from "./http-listener.ts";
import { requestedName, type SiteDestination, type Destination } from "./hosts.ts";

const ALLOW = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

const NO_TUNNEL = new Fault(
  "method_not_allowed",
  "This server is not a proxy: send requests for its own resources.",
  // Bun 1.4.4 takes the bytes after CONNECT for the tunnel's, and would not respond to the next request.
  { allow: ALLOW, connection: "close" },
);

/**
 * The response to a request whose target is not a resource: CONNECT names another server (RFC 9110 section 9.3.6), and
 * `OPTIONS *` means the server as a whole (section 9.3.7). Undefined for other requests.
 */
const respondToServerTarget = ({ method, url }: Request): Response | undefined => {
  if (method === "CONNECT") return errorResponse(NO_TUNNEL);
  return url === "*"
    ? new Response(null, { status: 204, headers: { allow: ALLOW, ...STANDING } })
    : undefined;
};

const TRAILERS_REJECTED = new Fault(
  "invalid_request",
  "Trailer: this server does not accept trailer fields over HTTP/1.1; send the request without them.",
);
const INVALID_BODY = new Fault("invalid_request", "The chunked body is not valid.");

/** True for a request over HTTP/1.1 with a chunked body (RFC 9112 section 7.1). */
const isChunked = ({ headers }: Request): boolean => headers.has("transfer-encoding");

/**
 * Responds to a chunked request and closes its connection. Bun 1.4.4 calls the handler before it reads the trailer section.
 * It then parses trailer fields as a request and responds with 400. On an open connection, the client would take that for
 * the response to its next request.
 */
const respondToChunked = async (
  request: Request,
  handle: Handler,
  finish: FinishUnrouted,
): Promise<Response> => {
  const respond = async () => {
    if (request.headers.has("trailer")) return finish(request, errorResponse(TRAILERS_REJECTED));
    // The client already has the parser's response; this one is for the log.
    if (await hasAborted(request)) return finish(request, errorResponse(INVALID_BODY));
    return handle(request);
  };
  const response = await respond();
  response.headers.set("connection", "close");
  return response;
};

const CHALLENGE_PATH = "/.well-known/acme-challenge/";
const CHALLENGE = /^https?:\/\/[^/]*\/\.well-known\/acme-challenge\/([\w-]{1,128})$/;

/** Responds to the challenges of CAs; undefined for every other request, and if no challenge is pending. */
type RespondToChallenge = (request: Request) => Promise<Response | undefined> | undefined;

/** Lets another process respond to challenges. */
export const challengeForwarder =
  (forward: Handler): RespondToChallenge =>
  (request) =>
    request.url.includes(CHALLENGE_PATH) ? Promise.resolve(forward(request)) : undefined;

/** @param challenge the text for a CA's challenge (RFC 8555 section 8.3); undefined if none is pending */
export const challengeHandler = (
  challenge: (hostname: string, token: string) => Promise<string | undefined>,
): RespondToChallenge => {
  const headers = { "content-type": "application/octet-stream", "cache-control": "no-store" };
  return (request) => {
    const { url } = request;
    const token = url.includes(CHALLENGE_PATH) ? CHALLENGE.exec(url)?.[1] : undefined;
    if (token === undefined) return undefined;
    return challenge(requestedName(request.headers.get("host")), token).then((text) =>
      text === undefined ? undefined : new Response(text, { headers }),
    );
  };
};

/**
 * A request to a site, in parts.
 * @param port the port of the Host header with its colon; "" for the scheme's own port
 * @param inParts true to read large files while they are sent, and not ahead: an unread response then takes little memory
 */
const siteRequestOf = ({ method, url, headers }: Request, port: string, inParts: boolean) => {
  // After `http://`; the host was parsed before.
  const start = url.indexOf("/", 8);
  const mark = url.indexOf("?", start);
  return {
    method,
    /** `http:` or `https:`, as the request arrived here. A proxy in front may have received it over the other. */
    scheme: url.slice(0, url.indexOf("/")),
    port,
    /** The path as it was sent, percent-encoded, without the query. */
    path: mark === -1 ? url.slice(start) : url.slice(start, mark),
    /** The query with its question mark, or "". */
    query: mark === -1 ? "" : url.slice(mark),
    headers,
    inParts,
  };
};

interface DispatchOptions {
  parseHost(host: string | null): Destination;
  api: Handler;
  /** In a worker: lets the owner respond to all but plain reads. */
  forward?: Handler | undefined;
  sites: {
    /** The response to a request under a name; undefined if no site has the name. */
    respond(
      name: SiteDestination,
      request: ReturnType<typeof siteRequestOf>,
    ): Response | Promise<Response> | undefined;
  };
  /** True while responses in progress must take little memory. */
  mustSaveMemory?: () => boolean;
  /** The response to a CA's challenge, before anything else: the name may have no site yet, or be the API's own. */
  respondToChallenge?: RespondToChallenge | undefined;
  /** The response to a request over plain HTTP that HTTP does not serve; undefined if it does. */
  httpsOnly?: (request: Request) => Response | undefined;
  /** Waits until sites are current enough; in a cluster, they may be old for STALE_LIMIT. @throws EngineUnavailable */
  recent(): Promise<void>;
  finishRequest: FinishRequest;
  /** The finished response to a request whose host nothing serves. */
  refuse(request: Request, destination: Destination): Response | Promise<Response>;
  /** Called with every error of a site. */
  onError?: (error: unknown) => void;
  log: Logger;
}

/** The route of sites in logs and metrics. */
const SITE = "site";
/** The route, in logs and metrics, of requests that are redirected to HTTPS or rejected. */
const HTTPS_ONLY = "https";

/** Keeps search engines away from a preview, also where the response does not come from the site. */
const withoutIndexing = (response: Response, destination: Destination): Response => {
  if (destination.kind === "project" && parsePreviewLabel(destination.slug))
    response.headers.set("x-robots-tag", "noindex");
  return response;
};

/**
 * Gives a request an `http:` URL. Elysia, configured for short host names, searches for the path after the seven
 * characters of `http://`. The connection shows whether a request arrived over HTTPS.
 */
const withHttpUrl = (request: Request): Request => {
  const { url } = request;
  return url.startsWith("https://")
    ? Object.defineProperty(request, "url", { value: `http${url.slice("https".length)}`, configurable: true })
    : request;
};

/**
 * Sends each request to the API or to a site, by its Host header. If no site has the name, the response is 421, so that a
 * stranger's domain that resolves to this server cannot reach it through a browser (DNS rebinding).
 */
export const dispatcher = ({
  parseHost,
  api,
  forward,
  sites,
  mustSaveMemory = () => false,
  respondToChallenge,
  httpsOnly,
  recent,
  finishRequest,
  refuse,
  onError,
  log,
}: DispatchOptions): Handler => {
  /** Logs the failure of a site, and responds to the visitor. */
  const failure = (
    { request, requestId }: ReturnType<typeof summaryOf>,
    error: unknown,
    destination: Destination,
  ) => {
    onError?.(error);
    const fault = faultOf(error);
    if (isServerFailure(fault, error)) log.error({ err: error, requestId }, fault.code);
    return withoutIndexing(siteFailure(request, error), destination);
  };

  const respondOutsideApi = async (
    request: Request,
    destination: Exclude<Destination, { kind: "api" }>,
  ): Promise<Response> => {
    if (destination.kind === "malformed") return refuse(request, destination);
    const summary = summaryOf(request, SITE);
    let found: Response | undefined;
    try {
      await recent();
      found = await sites.respond(destination, siteRequestOf(request, destination.port, mustSaveMemory()));
    } catch (error) {
      return finishRequest(failure(summary, error, destination), summary);
    }
    // The page of a domain that is not served has status 503.
    return found ? finishRequest(found, { ...summary, isFailure: false }) : refuse(request, destination);
  };

  const routeByHost: Handler = (request) => {
    const destination = parseHost(request.headers.get("host"));
    if (destination.kind !== "api") return respondOutsideApi(request, destination);
    return forward && !isForWorker(request) ? forward(request) : api(withHttpUrl(request));
  };

  const routePlainHttp = async (request: Request, only: NonNullable<typeof httpsOnly>): Promise<Response> => {
    const summary = summaryOf(request, HTTPS_ONLY);
    const destination = parseHost(request.headers.get("host"));
    const respond = async (): Promise<Response | undefined> => {
      try {
        // First: the name may have just received a certificate.
        await recent();
      } catch (error) {
        // The API's own name comes from the settings. The API responds itself to requests that it cannot serve.
        if (destination.kind !== "api") return failure(summary, error, destination);
      }
      return only(request);
    };
    const response = await respond();
    return response ? finishRequest(withoutIndexing(response, destination), summary) : routeByHost(request);
  };

  const routeOthers: Handler = (request) =>
    httpsOnly && request.url.startsWith("http://")
      ? routePlainHttp(request, httpsOnly)
      : routeByHost(request);

  const route: Handler = (request) => {
    const response = respondToChallenge?.(request);
    return response ? response.then((found) => found ?? routeOthers(request)) : routeOthers(request);
  };

  const finishWithoutRoute = finishUnrouted(finishRequest);
  return (request) => {
    const response = respondToServerTarget(request);
    if (response) return finishWithoutRoute(request, response);
    return isChunked(request) ? respondToChunked(request, route, finishWithoutRoute) : route(request);
  };
};
