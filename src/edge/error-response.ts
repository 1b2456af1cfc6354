import type { FinishRequest } from "../http/finish-request.ts";
import { prefersHtml } from "../lib/accept.ts";
import { Fault, faultOf, faultResponse } from "../lib/errors.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { completeHeaders, requestIdOf } from "../http/headers.ts";
import type { Destination } from "./hosts.ts";
import { hostnameOf } from "./https-redirect.ts";
import { refusedPage } from "./refused-page.ts";
import { plainResponse } from "../http/html-page.ts";

const MAIN = `<h1>This site is not available right now</h1>
<p>The server is cut off from the other servers of its cluster. It cannot find out whether its copy of this site is current, so it shows nothing.</p>
<p>This usually takes seconds. Reload the page in a moment.</p>
<h2>If you operate this server</h2>
<p><code>adoption-store cluster status</code> shows what is wrong. <code>STALE_LIMIT</code> sets how long sites are shown while the server is cut off.</p>`;

/** The page for a browser while a node may not show a site, because its copy may be old. */
const unavailablePage = (headers: Readonly<Record<string, string>>): Response =>
  plainResponse(503, "Not available right now", MAIN, { ...headers, vary: "Accept" });

/** The response to a fault, with the headers that every response has. */
export const errorResponse = (fault: Fault): Response => {
  const response = faultResponse(fault);
  completeHeaders(response.headers, false);
  return response;
};

/** The response of a site to a failure: a page for a browser, if waiting helps; an Error for other clients. */
export const siteFailure = (request: Request, error: unknown): Response => {
  const fault = faultOf(error);
  if (!(error instanceof EngineUnavailable) || !prefersHtml(request.headers.get("accept") ?? undefined))
    return errorResponse(fault);
  const page = unavailablePage(fault.headers);
  completeHeaders(page.headers, false);
  return page;
};

/** Completes the response to a request that reaches no route: adds a request id, counts it and logs it. */
export type FinishUnrouted = (request: Request, response: Response) => Response;

export const finishUnrouted =
  (finishRequest: FinishRequest): FinishUnrouted =>
  (request, response) =>
    finishRequest(response, {
      requestId: requestIdOf(request.headers.get("x-request-id")),
      request,
      route: "",
      startedAt: performance.now(),
    });

const MALFORMED = new Fault("invalid_request", "The Host header is not a host name with a port.");
const MISDIRECTED = new Fault("misdirected");
const OTHER_CONNECTION = new Fault(
  "misdirected",
  "This connection was opened for another host name: open a new one for this name.",
);

/**
 * Responds to a request whose Host is not served: with a page for a browser, with an Error for other clients.
 * @param onRefused called with the host name
 */
export const refusedResponse =
  (onRefused: (host: string) => void, finish: FinishUnrouted) =>
  (request: Request, destination: Destination): Response => {
    if (destination.kind === "malformed" || destination.kind === "api")
      return finish(request, errorResponse(MALFORMED));
    onRefused(hostnameOf(request.headers.get("host")));
    if (!prefersHtml(request.headers.get("accept") ?? undefined))
      return finish(request, errorResponse(MISDIRECTED));
    const page = refusedPage(request, destination);
    completeHeaders(page.headers, false);
    return finish(request, page);
  };

/** Responds to requests over HTTPS whose host is not their connection's: 421 (RFC 9110 section 15.5.20). */
export const misdirectedResponse =
  (parseHost: (host: string | null) => Destination, finish: FinishUnrouted) =>
  (request: Request): Response => {
    const { kind } = parseHost(request.headers.get("host"));
    return finish(request, errorResponse(kind === "malformed" ? MALFORMED : OTHER_CONNECTION));
  };
