import { plainResponse } from "../http/html-page.ts";
import { parsePreviewLabel } from "../lib/preview.ts";
import { prefersHtml } from "../lib/accept.ts";
import { Fault, faultOf, faultResponse } from "../lib/errors.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { type FinishRequest, completeHeaders, requestIdOf } from "../http/lifecycle.ts";
import { requestedName, type SiteDestination, type Destination } from "./hosts.ts";

type Remedy = readonly [when: string, command: string];

/**
 * The scheme that the browser most likely used. A proxy may report it; the header needs no trust, because it changes only
 * advice. Without a port in its address, the browser most likely reached a proxy that speaks HTTPS.
 */
const schemeOf = ({ url, headers }: Request, port: string): string =>
  url.startsWith("https:") || headers.get("x-forwarded-proto") === "https" || port === "" ? "https" : "http";

const apiRemedies = (name: string, origin: string): Remedy[] => [
  [
    "If this is the address of the API and the console, set BASE_URL as the browser shows it, and start the server again.",
    `BASE_URL=${origin}`,
  ],
  ["The API has another main address, and this is one more:", `API_HOSTS=${name}`],
];

/** A slug has no dot, and a preview's deploy comes only from its project. */
const projectRemedies = (slug: string): Remedy[] =>
  slug.includes(".") || parsePreviewLabel(slug)
    ? []
    : [
        [
          `This is the address of the project ${slug}: publish its site.`,
          `adoption-store deploy DIRECTORY --project ${slug} --create`,
        ],
      ];

const domainRemedies = (name: string): Remedy[] => [
  [
    "This is a custom domain of a project: add it, and create the DNS record that the command names.",
    `adoption-store domains add ${name} --project PROJECT`,
  ],
  [`Projects are published below this name, as PROJECT.${name}:`, `PLATFORM_DOMAIN=${name}`],
];

const mainOf = (
  name: string,
  remedies: readonly Remedy[],
): string => `<h1>This server does not serve ${name}</h1>
<p>The request arrived, but no setting and no project has this name. The server refuses unknown names, so that strangers cannot point their own names at it.</p>
<p>If you followed a link, check the address, or tell the operator.</p>
<h2>If you operate this server</h2>
<ul>
${remedies.map(([when, command]) => `<li>${when}<pre><code>${command}</code></pre></li>`).join("\n")}
</ul>
<p class="quiet">The log names refused hosts. <code>adoption-store status</code> lists them.</p>`;

/**
 * The page for a browser that asked for a host that nothing serves. It repeats only the name and port of a parsed Host, which
 * hold letters, digits, dots, hyphens and underscores.
 */
const refusedPage = (request: Request, destination: SiteDestination): Response => {
  const name = requestedName(request.headers.get("host"));
  const { port } = destination;
  const api = apiRemedies(name, `${schemeOf(request, port)}://${name}${port}`);
  const remedies =
    destination.kind === "project"
      ? [...projectRemedies(destination.slug), ...api]
      : [...api, ...domainRemedies(name)];
  return plainResponse(421, "Unknown host name", mainOf(name, remedies), { vary: "Accept" });
};

const UNAVAILABLE = `<h1>This site is not available right now</h1>
<p>This server has lost the connection to its cluster. Its copy of this site may be outdated, so it does not show the site.</p>
<p>This usually takes a few seconds. Reload the page in a moment.</p>
<h2>If you operate this server</h2>
<p><code>adoption-store cluster status</code> shows the problem. <code>STALE_LIMIT</code> sets how long sites stay available without the cluster.</p>`;

/** Adds the headers that every response has. */
const completed = (response: Response): Response => {
  completeHeaders(response.headers, false);
  return response;
};

/** The response to a fault, with the headers that every response has. */
export const errorResponse = (fault: Fault): Response => completed(faultResponse(fault));

const wantsPage = ({ headers }: Request): boolean => prefersHtml(headers.get("accept") ?? undefined);

/**
 * The response of a site to a failure. While a node may not show a site, because its copy may be old, waiting helps: then a
 * browser gets a page. Other clients get an Error.
 */
export const siteFailure = (request: Request, error: unknown): Response => {
  const fault = faultOf(error);
  if (!(error instanceof EngineUnavailable) || !wantsPage(request)) return errorResponse(fault);
  const headers = { ...fault.headers, vary: "Accept" };
  return completed(plainResponse(503, "Not available right now", UNAVAILABLE, headers));
};

/** What is logged and counted of a request without a route of the API. */
export const summaryOf = (request: Request, route: string) => ({
  requestId: requestIdOf(request.headers.get("x-request-id")),
  request,
  route,
  startedAt: performance.now(),
});

/** Completes the response to a request that reaches no route: adds a request id, counts it and logs it. */
export type FinishUnrouted = (request: Request, response: Response) => Response;

export const finishUnrouted =
  (finishRequest: FinishRequest): FinishUnrouted =>
  (request, response) =>
    finishRequest(response, summaryOf(request, ""));

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
    onRefused(requestedName(request.headers.get("host")));
    const response = wantsPage(request)
      ? completed(refusedPage(request, destination))
      : errorResponse(MISDIRECTED);
    return finish(request, response);
  };

/** Responds to requests over HTTPS whose host is not their connection's: 421 (RFC 9110 section 15.5.20). */
export const misdirectedResponse =
  (parseHost: (host: string | null) => Destination, finish: FinishUnrouted) =>
  (request: Request): Response => {
    const { kind } = parseHost(request.headers.get("host"));
    return finish(request, errorResponse(kind === "malformed" ? MALFORMED : OTHER_CONNECTION));
  };
