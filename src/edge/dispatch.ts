import { type FinishRequest, isServerFailure } from "../http/finish-request.ts";
import { requestIdOf } from "../http/headers.ts";
import { faultOf } from "../lib/errors.ts";
import { parsePreviewLabel } from "../lib/preview.ts";
import type { Logger } from "../lib/log.ts";
import type { RespondToChallenge } from "./acme-challenge.ts";
import { isChunked, respondToChunked } from "./chunked.ts";
import { finishUnrouted, siteFailure } from "./error-response.ts";
import type { Handler } from "./handler.ts";
import type { Destination } from "./hosts.ts";
import { respondToServerTarget } from "./request-target.ts";
import { type Sites, siteRequestOf } from "./site-request.ts";

export interface DispatchOptions {
  parseHost(host: string | null): Destination;
  api: Handler;
  sites: Sites;
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
const unindexed = (response: Response, destination: Destination): Response => {
  if (destination.kind === "project" && parsePreviewLabel(destination.slug))
    response.headers.set("x-robots-tag", "noindex");
  return response;
};

/** Logs the failure of a site, and responds to the visitor. */
const failureResponse =
  ({ onError, log }: Pick<DispatchOptions, "onError" | "log">) =>
  (request: Request, error: unknown, destination: Destination, requestId: string): Response => {
    onError?.(error);
    const fault = faultOf(error);
    if (isServerFailure(fault, error)) log.error({ err: error, requestId }, fault.code);
    return unindexed(siteFailure(request, error), destination);
  };

/**
 * The response to a request over plain HTTP that a site cannot be redirected for; undefined if it can. The API's own name comes
 * from the settings. It says itself what it cannot do, and is alive meanwhile.
 */
const redirectFailure =
  (recent: DispatchOptions["recent"], failure: ReturnType<typeof failureResponse>) =>
  async (request: Request, destination: Destination, requestId: string): Promise<Response | undefined> => {
    try {
      // First: the name may have just received a certificate.
      await recent();
      return undefined;
    } catch (error) {
      return destination.kind === "api" ? undefined : failure(request, error, destination, requestId);
    }
  };

/**
 * Sends each request to the API or to a site, by its Host header. If no site has the name, the response is 421, so that a
 * stranger's domain that resolves to this server cannot reach it through a browser (DNS rebinding).
 */
export const dispatcher = ({
  parseHost,
  api,
  sites,
  mustSaveMemory = () => false,
  respondToChallenge,
  httpsOnly,
  recent,
  finishRequest,
  refuse,
  ...reports
}: DispatchOptions): Handler => {
  const failure = failureResponse(reports);
  const failedRedirect = redirectFailure(recent, failure);

  const respondOutsideApi = async (
    request: Request,
    destination: Exclude<Destination, { kind: "api" }>,
  ): Promise<Response> => {
    if (destination.kind === "malformed") return refuse(request, destination);
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const summary = { requestId, request, route: SITE, startedAt: performance.now() };
    let found: Response | undefined;
    try {
      await recent();
      found = await sites.respond(destination, siteRequestOf(request, destination.port, mustSaveMemory()));
    } catch (error) {
      return finishRequest(failure(request, error, destination, requestId), summary);
    }
    // The page of a domain that is not served has status 503.
    return found ? finishRequest(found, { ...summary, isFailure: false }) : refuse(request, destination);
  };

  const routeByHost: Handler = (request) => {
    const destination = parseHost(request.headers.get("host"));
    return destination.kind === "api" ? api(request) : respondOutsideApi(request, destination);
  };

  const routePlainHttp = async (request: Request, only: NonNullable<typeof httpsOnly>): Promise<Response> => {
    const startedAt = performance.now();
    const destination = parseHost(request.headers.get("host"));
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const response = (await failedRedirect(request, destination, requestId)) ?? only(request);
    return response
      ? finishRequest(unindexed(response, destination), { requestId, request, route: HTTPS_ONLY, startedAt })
      : routeByHost(request);
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
