import { type FinishRequest, isServerFailure, methodLabel } from "../http/finish-request.ts";
import { requestIdOf } from "../http/headers.ts";
import { faultOf } from "../lib/errors.ts";
import { parsePreviewLabel } from "../lib/preview.ts";
import type { Logger } from "../lib/log.ts";
import { isChunked, respondToChunked } from "./chunked.ts";
import { errorResponse, finishUnrouted } from "./error-response.ts";
import type { Handler } from "./handler.ts";
import type { Destination, SiteDestination } from "./hosts.ts";
import { respondToServerTarget } from "./request-target.ts";
import { type Sites, siteRequestOf } from "./site-request.ts";

export interface DispatchOptions {
  parseHost(host: string | null): Destination;
  api: Handler;
  sites: Sites;
  /** The response to a CA's challenge, before anything else: the name may have no site yet, or be the API's own. */
  respondToChallenge?: ((request: Request) => Response | Promise<Response> | undefined) | undefined;
  /** The response to a request over plain HTTP that HTTP does not serve; undefined if it does. */
  httpsOnly?: (request: Request) => Response | undefined;
  /** Waits until reads see every acknowledged change. */
  fresh(): Promise<void>;
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
const unindexed = (response: Response, destination: Destination): Response => {
  if (destination.kind === "project" && parsePreviewLabel(destination.slug))
    response.headers.set("x-robots-tag", "noindex");
  return response;
};

/**
 * Sends each request to the API or to a site, by its Host header. If no site has the name, the response is 421, so that a
 * stranger's domain that resolves to this server cannot reach it through a browser (DNS rebinding).
 */
export const dispatcher = ({
  parseHost,
  api,
  sites,
  respondToChallenge,
  httpsOnly,
  fresh,
  finishRequest,
  refuse,
  onError,
  log,
}: DispatchOptions): Handler => {
  /** Finishes a response that no route of the API made. */
  const finish = (
    request: Request,
    response: Response,
    route: string,
    startedAt: number,
    requestId: string,
  ) => finishRequest(response, { requestId, method: methodLabel(request.method), route, startedAt });

  const siteResponse = async (
    request: Request,
    name: SiteDestination,
    requestId: string,
  ): Promise<Response | undefined> => {
    try {
      await fresh();
      return await sites.respond(name, siteRequestOf(request, name.port));
    } catch (error) {
      onError?.(error);
      const fault = faultOf(error);
      if (isServerFailure(fault)) log.error({ err: error, requestId }, fault.code);
      return unindexed(errorResponse(fault), name);
    }
  };

  const respondOutsideApi = async (
    request: Request,
    destination: Exclude<Destination, { kind: "api" }>,
  ): Promise<Response> => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const found =
      destination.kind === "malformed" ? undefined : await siteResponse(request, destination, requestId);
    return found ? finish(request, found, SITE, startedAt, requestId) : refuse(request, destination);
  };

  const routeByHost: Handler = (request) => {
    const destination = parseHost(request.headers.get("host"));
    return destination.kind === "api" ? api(request) : respondOutsideApi(request, destination);
  };

  /** `fresh` comes first: the name may have just received a certificate. */
  const routePlainHttp = async (request: Request, only: NonNullable<typeof httpsOnly>): Promise<Response> => {
    const startedAt = performance.now();
    await fresh();
    const redirect = only(request);
    if (!redirect) return routeByHost(request);
    const response = unindexed(redirect, parseHost(request.headers.get("host")));
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    return finish(request, response, HTTPS_ONLY, startedAt, requestId);
  };

  const route: Handler = (request) =>
    respondToChallenge?.(request) ??
    (httpsOnly && request.url.startsWith("http://")
      ? routePlainHttp(request, httpsOnly)
      : routeByHost(request));

  const finishWithoutRoute = finishUnrouted(finishRequest);
  return (request) => {
    const response = respondToServerTarget(request);
    if (response) return finishWithoutRoute(request, response);
    return isChunked(request) ? respondToChunked(request, route, finishWithoutRoute) : route(request);
  };
};
