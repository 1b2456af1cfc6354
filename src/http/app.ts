import { Elysia, type ValidationError } from "elysia";
import type { Key } from "../keys/repository.ts";
import type { Cors } from "./cors.ts";
import { explain } from "./explain.ts";
import { Fault, faultOf, faultResponse } from "./faults.ts";
import { completeHeaders, requestIdOf } from "./headers.ts";
import { quoted, stringify } from "./json.ts";
import { type Logger, logRequest } from "./logging.ts";
import type { Metrics } from "./metrics.ts";
import { type Route, methodsAt, repeatedParameter, unrouted } from "./routing.ts";
import type { Shared } from "./shared.ts";

/** Below these every path asks for a key, those that do not exist too. */
export const GUARDED = ["/v1", "/platform"] as const;

export interface AppSettings {
  shared: Shared;
  metrics: Metrics;
  log: Logger;
  cors: Cors;
}

/** What a route returned, as a response: objects become JSON in which int64 is exact. */
const answerOf = (value: unknown, status: number): Response => {
  if (value instanceof Response) return value;
  if (value === undefined || value === null)
    return new Response(null, { status: status === 200 ? 204 : status });
  return new Response(stringify(value), { status, headers: { "content-type": "application/json" } });
};

const pathOf = (request: Request): string => new URL(request.url).pathname;

/** The frame around the rooms: request ids, errors, headers, metrics and logs of every answer. */
export const frame = ({ metrics, log, cors, routes }: AppSettings & { routes: () => readonly Route[] }) => {
  const preflight = (request: Request): Response => {
    const methods = methodsAt(routes(), pathOf(request));
    if (methods.length === 0) return faultResponse(new Fault("not_found"));
    const allow = methods.join(", ");
    return new Response(null, {
      status: 204,
      headers: { allow, ...cors.preflightFor(request.headers.get("origin"), allow) },
    });
  };

  const refusalOf = (code: unknown, error: unknown, request: Request): Fault => {
    if (code === "VALIDATION")
      return (error as ValidationError).type === "response"
        ? faultOf(error)
        : explain(error as ValidationError);
    if (code === "NOT_FOUND") return unrouted(routes(), pathOf(request));
    return faultOf(error);
  };

  return new Elysia({ name: "frame" })
    .decorate({ requestId: "", startedAt: 0 })
    .onRequest(function begin(context) {
      context.startedAt = performance.now();
      if (context.request.method !== "OPTIONS") return;
      const answer = preflight(context.request);
      answer.headers.set("x-request-id", requestIdOf(context.request.headers.get("x-request-id")));
      completeHeaders(answer.headers, false);
      return answer;
    })
    .onBeforeHandle({ as: "global" }, function refuseRepeated({ request }) {
      const repeated = repeatedParameter(request.url);
      if (repeated !== undefined) throw new Fault("invalid_request", `${quoted(repeated)}: is given twice`);
    })
    .onError({ as: "global" }, function refuse(context) {
      const { code, error, request, headers } = context;
      const fault = refusalOf(code, error, request);
      context.requestId = requestIdOf(headers["x-request-id"]);
      if (fault.code === "internal_error" || fault.code === "storage_unavailable")
        log.error({ err: error, requestId: context.requestId }, fault.code);
      return faultResponse(fault);
    })
    .mapResponse({ as: "global" }, function finish(context) {
      const { responseValue, set, request, headers, route, startedAt } = context;
      const requestId = context.requestId || requestIdOf(headers["x-request-id"]);
      const key = (context as { key?: Key }).key;
      const answer = answerOf(responseValue, Number(set.status ?? 200));
      const status = answer.status;
      answer.headers.set("x-request-id", requestId);
      completeHeaders(answer.headers, key !== undefined);
      cors.allow(answer.headers, headers["origin"]);
      const ms = performance.now() - startedAt;
      metrics.observe(request.method, route, status, ms / 1000);
      logRequest(log, { requestId, method: request.method, route, status, ms, keyId: key?.id });
      return answer;
    });
};

/** Puts the rooms into the frame. */
export const createApp = <const Rooms extends readonly Elysia<any, any, any, any, any, any, any>[]>(
  settings: AppSettings,
  rooms: Rooms,
) => {
  let routes: readonly Route[] = [];
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } }).use(
    frame({ ...settings, routes: () => routes }),
  );
  for (const room of rooms) app.use(room);
  routes = app.routes.map(({ method, path }) => ({ method, path }));
  const nothingHere = ({ request }: { request: Request }) => {
    throw unrouted(routes, pathOf(request));
  };
  const rest = new Elysia().use(settings.shared);
  for (const prefix of GUARDED)
    for (const path of [prefix, `${prefix}/*`])
      rest.all(path, nothingHere, { scope: "any", detail: { hide: true } });
  rest.all("/*", nothingHere, { public: true, detail: { hide: true } });
  return app.use(rest);
};
