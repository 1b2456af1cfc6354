import { type FinishRequest, isServerFailure, namedMethod } from "../http/finish-request.ts";
import { faultOf } from "../lib/errors.ts";
import { requestIdOf } from "../http/headers.ts";
import type { Logger } from "../lib/log.ts";
import { respondToChunked, isChunked } from "./chunked.ts";
import type { Destination, SiteDestination } from "./hosts.ts";
import { finishUnrouted, hostFault, errorResponse } from "./error-response.ts";
import { hostnameOf } from "./https-redirect.ts";
import { respondToServerTarget } from "./request-target.ts";

/** A request to a published name, in parts. */
export interface SiteRequest {
  method: string;
  /** `http:` or `https:`, as it came; a proxy in front may know better. */
  scheme: string;
  /** Of the Host header, with its colon; "" for that of the scheme. */
  port: string;
  /** The path as it was sent, percent-encoded, without the query. */
  path: string;
  /** With its question mark, or empty. */
  query: string;
  headers: Headers;
}

export interface Publisher {
  /** The response to a request under a name; undefined if nothing is published there. */
  respond(place: SiteDestination, request: SiteRequest): Response | Promise<Response> | undefined;
}

export type Handler = (request: Request) => Response | Promise<Response>;

export interface DispatchOptions {
  readHost(host: string | null): Destination;
  api: Handler;
  publisher: Publisher;
  /** What is answered to a certificate authority under a host name (RFC 8555 section 8.3); undefined if it asked for nothing pending. */
  challenge?: (hostname: string, token: string) => string | undefined;
  /** The response to a request that must not come over plain HTTP; undefined if it is served. */
  redirectOrReject?: (request: Request) => Response | undefined;
  /** Waits until every change that was acknowledged before shows. */
  fresh(): Promise<void>;
  finishRequest: FinishRequest;
  /** Called with every error of a site. */
  onError?: (error: unknown) => void;
  log: Logger;
}

/** Under which logs and metrics have what is published. */
const ROUTE = "site";
/** The route name in logs and metrics of requests that were redirected to HTTPS or rejected. */
const SECURED = "https";

const CHALLENGE = /^https?:\/\/[^/]*\/\.well-known\/acme-challenge\/([\w-]{1,128})$/;

const requestOf = ({ method, url, headers }: Request, port: string): SiteRequest => {
  // Behind `http://`; the host was found to be one.
  const start = url.indexOf("/", 8);
  const mark = url.indexOf("?", start);
  const path = mark === -1 ? url.slice(start) : url.slice(start, mark);
  return {
    method,
    scheme: url.slice(0, url.indexOf("/")),
    port,
    path,
    query: mark === -1 ? "" : url.slice(mark),
    headers,
  };
};

/**
 * Sends each request where its Host header says: to the API, to what is published under the name, or away. A name that
 * nothing is published under is refused with 421, so that no other site's name can be made to lead a browser here (DNS
 * rebinding).
 */
export const dispatcher = ({
  readHost,
  api,
  publisher,
  challenge,
  redirectOrReject: plain,
  fresh,
  finishRequest: conclude,
  onError,
  log,
}: DispatchOptions): Handler => {
  const published = async (
    request: Request,
    place: SiteDestination,
    requestId: string,
  ): Promise<Response | undefined> => {
    try {
      await fresh();
      return await publisher.respond(place, requestOf(request, place.port));
    } catch (error) {
      onError?.(error);
      const fault = faultOf(error);
      if (isServerFailure(fault)) log.error({ err: error, requestId }, fault.code);
      return errorResponse(fault);
    }
  };

  const answerElsewhere = async (
    request: Request,
    place: Exclude<Destination, { kind: "api" }>,
  ): Promise<Response> => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const found = place.kind === "malformed" ? undefined : await published(request, place, requestId);
    return conclude(found ?? errorResponse(hostFault(place)), {
      requestId,
      method: namedMethod(request.method),
      route: found ? ROUTE : "",
      startedAt,
      keyId: 0,
    });
  };

  /** Before all else: the name may not be published yet, or be the API's own. */
  const answerChallenge = (request: Request): Response | undefined => {
    const token = CHALLENGE.exec(request.url)?.[1];
    const answer = token && challenge?.(hostnameOf(request.headers.get("host")), token);
    return answer
      ? new Response(answer, {
          headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
        })
      : undefined;
  };

  const dispatch: Handler = (request) => {
    const place = readHost(request.headers.get("host"));
    return place.kind === "api" ? api(request) : answerElsewhere(request, place);
  };

  /** `fresh` first: whether a name has a certificate may have just changed. */
  const servePlain = async (request: Request): Promise<Response> => {
    const startedAt = performance.now();
    await fresh();
    const answer = plain?.(request);
    if (!answer) return dispatch(request);
    return conclude(answer, {
      requestId: requestIdOf(request.headers.get("x-request-id")),
      method: namedMethod(request.method),
      route: SECURED,
      startedAt,
      keyId: 0,
    });
  };

  const finish = finishUnrouted(conclude);

  const route: Handler = (request) => {
    if (challenge && request.url.includes("/.well-known/acme-challenge/")) {
      const answer = answerChallenge(request);
      if (answer) return answer;
    }
    return plain && request.url.startsWith("http://") ? servePlain(request) : dispatch(request);
  };

  return (request) => {
    const response = respondToServerTarget(request);
    if (response) return finish(request, response);
    return isChunked(request) ? respondToChunked(request, route, finish) : route(request);
  };
};
