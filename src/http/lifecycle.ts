import { type Context, Elysia, ValidationError } from "elysia";
import { Fault, faultOf, faultResponse, fieldFault } from "../lib/errors.ts";
import { type Logger, type RequestLogEntry, logRequest } from "../lib/log.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { quoted } from "../lib/text.ts";
import { type Caller, NO_CALLER } from "./authorization.ts";
import type { Metrics } from "./metrics.ts";
import { splitRows, validationFault } from "./validation.ts";
import { type Route, methodsAt, patchTypesAt, pathOf, repeatableIn, routeFault } from "./route-table.ts";

/** The headers of every response. */
export const STANDING = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** The headers of every response to a request with a valid key. */
export const KEYED = {
  "cache-control": "private, no-cache",
  vary: "Authorization",
} as const;

/** When `getPet` became deprecated, 5 December 2025, in Unix seconds. */
const DEPRECATED_SINCE = 1_764_892_800;
const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The macros of routes that may change or end: their responses announce it in headers. */
export const lifespan = () =>
  new Elysia({ name: "lifespan" })
    .macro("deprecated", ({ successor }: { successor: string }) => ({
      detail: { deprecated: true },
      transform({ set }) {
        set.headers["deprecation"] = `@${DEPRECATED_SINCE}`; // RFC 9745
        set.headers["sunset"] = SUNSET; // RFC 8594
        set.headers["link"] = `<${successor}>; rel="successor-version"`;
      },
    }))
    .macro("stability", (_level: "beta") => ({
      detail: { "x-stability": "beta" } as object,
      transform({ set }) {
        set.headers["x-stability"] = "beta";
      },
    }));

const ACCEPTED_ID = /^[\w\-.:]{1,128}$/;

/** The client's own request id if it is safe to log, else a new one. */
export const requestIdOf = (sent: string | null | undefined): string =>
  typeof sent === "string" && ACCEPTED_ID.test(sent) ? sent : crypto.randomUUID();

/** Sets the headers of `extra` that are absent. */
export const setAbsent = (headers: Headers, extra: Readonly<Record<string, string>>): void => {
  for (const name in extra) if (!headers.has(name)) headers.set(name, extra[name] as string);
};

/** Sets the headers of every response. A response that has the first of them already has them all. */
export const completeHeaders = (headers: Headers, keyed: boolean): void => {
  if (headers.has("x-content-type-options")) return;
  setAbsent(headers, STANDING);
  if (keyed) setAbsent(headers, KEYED);
};

interface RequestSummary extends Omit<RequestLogEntry, "method" | "url" | "status" | "ms"> {
  request: Pick<Request, "method" | "url">;
  /** By `performance.now()`. */
  startedAt: number;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The method in logs and metrics. Clients can invent others, which must not add metric series. */
const methodLabel = (method: string): string => (METHODS.has(method) ? method : "other");

/** Sets the response's X-Request-Id, counts the request and logs it. */
export const finishRequest =
  ({ metrics, log }: { metrics: Metrics; log: Logger }) =>
  (response: Response, summary: RequestSummary): Response => {
    const { requestId, request, route, startedAt, caller, isFailure } = summary;
    const { headers, status } = response;
    const method = methodLabel(request.method);
    headers.set("x-request-id", requestId);
    const ms = performance.now() - startedAt;
    metrics.observe(method, route, status, ms / 1000);
    logRequest(log, { requestId, method, url: request.url, route, status, ms, caller, isFailure });
    return response;
  };

export type FinishRequest = ReturnType<typeof finishRequest>;

/** True if the fault is the server's, so that its cause is logged. An unreachable engine of a cluster is logged once. */
export const isServerFailure = ({ code }: Fault, error: unknown): boolean =>
  !(error instanceof EngineUnavailable) &&
  (code === "internal_error" || code === "storage_unavailable" || code === "outcome_unknown");

const EXPOSED =
  "Accept, Accept-Patch, Allow, Content-Encoding, ETag, Item-ETags, Link, Location, Next-Cursor, Idempotency-Replayed, Invalid-Fields, X-Request-Id, X-Stability, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate";

/** CORS for these origins; `*` allows all. API keys are sent in a header, so credentials mode is not needed. */
export const cors = (origins: readonly string[]) => {
  const allowed = new Set(origins);
  const isAllowed = (origin: string | null | undefined): origin is string =>
    typeof origin === "string" && (allowed.has(origin) || allowed.has("*"));
  return {
    /** Sets the headers of the response to a request from this origin. */
    allow(headers: Headers, origin: string | undefined): void {
      if (allowed.size === 0) return;
      headers.append("vary", "Origin");
      if (!isAllowed(origin)) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-expose-headers", EXPOSED);
    },
    /** The headers of the response to a preflight. */
    preflightFor: (origin: string | null, methods: string): Record<string, string> =>
      isAllowed(origin)
        ? {
            "access-control-allow-origin": origin,
            "access-control-allow-methods": methods,
            "access-control-allow-headers":
              "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
            "access-control-max-age": "600",
          }
        : {},
  };
};

type Cors = ReturnType<typeof cors>;

export interface LifecycleOptions {
  metrics: Metrics;
  log: Logger;
  cors: Cors;
  /** Called with every error that is not a Fault. */
  onError?: (error: unknown) => void;
  /** All routes of the app. The list is complete before the first request. */
  routes(): readonly Route[];
}

/** The response for a handler's result, with the status and the headers that were set for it. */
const responseOf = (value: unknown, set: Context["set"]): Response => {
  const status = Number(set.status ?? 200);
  // No route sets cookies here, so every value is a text.
  const headers = set.headers as Record<string, string>;
  if (value instanceof Response) {
    setAbsent(value.headers, headers);
    return value;
  }
  if (value === undefined || value === null)
    return new Response(null, { status: status === 200 ? 204 : status, headers });
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
};

const isInvalidResponse = (error: unknown): error is ValidationError =>
  error instanceof ValidationError && error.type === "response";

/** An error without secrets: Elysia's error for a response that violates its schema quotes the response. */
const loggable = (error: unknown): unknown =>
  error instanceof ValidationError
    ? new Error(`a response violates its schema: ${validationFault(error).message}`)
    : error;

/** The valid rows of a list that was read; undefined for other responses. A write returns one result per row, in order. */
const validRows = (
  error: unknown,
  { method }: Request,
  requestId: string,
  log: Logger,
): Response | undefined => {
  const isRead = method === "GET" || method === "HEAD";
  const rows = isRead && isInvalidResponse(error) ? splitRows(error) : undefined;
  if (!rows) return undefined;
  log.error({ requestId, rows: rows.invalid }, "omitted rows that violate their schema from a list");
  return Response.json(rows.valid);
};

const faultFor = (code: unknown, error: unknown, request: Request, routes: readonly Route[]): Fault => {
  if (code === "NOT_FOUND") return routeFault(routes, request);
  if (code !== "VALIDATION" || isInvalidResponse(error)) return faultOf(error);
  return validationFault(error as ValidationError);
};

/** The names of a query's parameters. Slicing an unescaped query is 1 to 2 microseconds faster than URLSearchParams. */
const namesIn = (query: string): string[] => {
  if (query.includes("%") || query.includes("+")) return [...new URLSearchParams(query).keys()];
  const names: string[] = [];
  for (let at = 0; at < query.length;) {
    const next = query.indexOf("&", at);
    const end = next === -1 ? query.length : next;
    const equals = query.indexOf("=", at);
    if (end > at) names.push(query.slice(at, equals === -1 || equals > end ? end : equals));
    at = end + 1;
  }
  return names;
};

/** The first query parameter that appears twice in a URL, unless it may; undefined if every one appears once. */
export const repeatedParameter = (url: string, repeatable: readonly string[] = []): string | undefined => {
  const start = url.indexOf("?");
  if (start === -1 || !url.includes("&", start)) return undefined;
  const seen = new Set<string>();
  for (const name of namesIn(url.slice(start + 1))) {
    if (seen.has(name) && !repeatable.includes(name)) return name;
    seen.add(name);
  }
  return undefined;
};

/** The response to OPTIONS, whether or not it is a CORS preflight. */
const optionsResponse = (request: Request, routes: readonly Route[], cors: Cors): Response => {
  const methods = methodsAt(routes, pathOf(request));
  if (methods.length === 0) return faultResponse(new Fault("not_found"));
  const allow = methods.join(", ");
  const patches = patchTypesAt(routes, pathOf(request)).join(", ");
  const headers = {
    allow,
    ...(patches && { "accept-patch": patches }),
    ...cors.preflightFor(request.headers.get("origin"), allow),
  };
  return new Response(null, { status: 204, headers });
};

/** Handles what all routes have in common: request ids, errors, headers, metrics and the log. */
export const lifecycle = ({ metrics, log, cors, onError, routes }: LifecycleOptions) => {
  const finish = finishRequest({ metrics, log });

  const send = (response: Response, summary: RequestSummary, origin: string | undefined): Response => {
    completeHeaders(response.headers, summary.caller !== undefined);
    cors.allow(response.headers, origin);
    return finish(response, summary);
  };

  const respondToOptions = (request: Request, startedAt: number): Response =>
    send(
      optionsResponse(request, routes(), cors),
      {
        requestId: requestIdOf(request.headers.get("x-request-id")),
        request,
        route: "",
        startedAt,
      },
      // The response to a preflight has its CORS headers already.
      undefined,
    );

  return (
    new Elysia({ name: "lifecycle" })
      .decorate({ requestId: "", startedAt: 0 })
      // Elysia reads the hook's source to see whether it is asynchronous, and a returned call makes it assume so. Without the
      // variable every request would wait for a promise, 1.5 microseconds of 26.
      .onRequest(function startRequest(context) {
        const startedAt = performance.now();
        context.startedAt = startedAt;
        let response: Response | undefined;
        if (context.request.method === "OPTIONS") response = respondToOptions(context.request, startedAt);
        return response;
      })
      .onBeforeHandle({ as: "global" }, function refuseRepeatedParameter({ request }) {
        if (repeatedParameter(request.url) === undefined) return;
        const repeated = repeatedParameter(request.url, repeatableIn(routes(), request));
        if (repeated === undefined) return;
        const problem = { field: repeated, rule: "duplicate" } as const;
        throw fieldFault("invalid_request", problem, `${quoted(repeated)}: is given twice`);
      })
      .onError({ as: "global" }, function respondWithFault(context) {
        const { code, error, request, headers } = context;
        const requestId = requestIdOf(headers["x-request-id"]);
        context.requestId = requestId;
        const rows = validRows(error, request, requestId, log);
        if (rows) return rows;
        const fault = faultFor(code, error, request, routes());
        if (!(error instanceof Fault)) onError?.(error);
        if (isServerFailure(fault, error)) log.error({ err: loggable(error), requestId }, fault.code);
        // The message may quote the client.
        else log.debug({ requestId, code: fault.code }, "refused");
        return faultResponse(fault);
      })
      .mapResponse({ as: "global" }, function sendResponse(context) {
        const { responseValue, set, request, headers, route, startedAt } = context;
        // A decoration of `authorization`, which this plugin does not see in its types.
        const { caller = NO_CALLER } = context as { caller?: Caller };
        const known = caller === NO_CALLER ? undefined : caller;
        // People use the console, which is up to date: only keys have clients that need a change.
        if (set.headers["deprecation"] && known?.kind === "key") metrics.countDeprecated(route, known.id);
        const summary = {
          requestId: context.requestId || requestIdOf(headers["x-request-id"]),
          request,
          route,
          startedAt,
          caller: known,
        };
        const response = responseOf(responseValue, set);
        // Elysia would make another response of any remaining headers, with a stream as its body: 4 microseconds of 28.
        set.headers = {};
        set.status = 200;
        return send(response, summary, headers["origin"]);
      })
  );
};
