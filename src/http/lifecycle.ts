import { Elysia, ValidationError } from "elysia";
import type { AuthenticatedKey } from "./authorization.ts";
import { type RequestSummary, finishRequest, isServerFailure, namedMethod } from "./finish-request.ts";
import type { Cors } from "./cors.ts";
import { validationFault } from "./validation.ts";
import { Fault, faultOf, faultResponse } from "../lib/errors.ts";
import { completeHeaders, requestIdOf } from "./headers.ts";
import { quoted } from "../lib/text.ts";
import type { Logger } from "../lib/log.ts";
import type { Metrics } from "./metrics.ts";
import { repeatedParameter } from "./repeated-parameter.ts";
import { type Route, methodsAt, patchTypesAt, pathOf, routeFault } from "./route-table.ts";

export interface LifecycleOptions {
  metrics: Metrics;
  log: Logger;
  cors: Cors;
  /** Called with every error but faults. */
  onError?: (error: unknown) => void;
  /** All routes of the app, once they are known. */
  routes(): readonly Route[];
}

/** What a route returned, as a response. */
const responseOf = (value: unknown, status: number): Response => {
  if (value instanceof Response) return value;
  if (value === undefined || value === null)
    return new Response(null, { status: status === 200 ? 204 : status });
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
};

/** An error as the log may have it: one about an answer's form quotes the answer, secrets and all. */
const loggable = (error: unknown): unknown =>
  error instanceof ValidationError
    ? new Error(`an answer breaks its schema: ${validationFault(error).message}`)
    : error;

/** The frame around the rooms: request ids, errors, headers, metrics and logs of every answer. */
export const lifecycle = ({ metrics, log, cors, onError, routes }: LifecycleOptions) => {
  const concludeRequest = finishRequest({ metrics, log });

  const conclude = (answer: Response, passage: RequestSummary, origin: string | undefined): Response => {
    completeHeaders(answer.headers, passage.keyId !== 0);
    cors.allow(answer.headers, origin);
    return concludeRequest(answer, passage);
  };

  const preflight = (request: Request): Response => {
    const methods = methodsAt(routes(), pathOf(request));
    if (methods.length === 0) return faultResponse(new Fault("not_found"));
    const allow = methods.join(", ");
    const patches = patchTypesAt(routes(), pathOf(request)).join(", ");
    const headers = {
      allow,
      ...(patches && { "accept-patch": patches }),
      ...cors.preflightFor(request.headers.get("origin"), allow),
    };
    return new Response(null, { status: 204, headers });
  };

  const respondToOptions = (request: Request, startedAt: number): Response =>
    conclude(
      preflight(request),
      {
        requestId: requestIdOf(request.headers.get("x-request-id")),
        method: request.method,
        route: "",
        startedAt,
        keyId: 0,
      },
      // A preflight's answer has its headers already.
      undefined,
    );

  const refusalOf = (code: unknown, error: unknown, request: Request): Fault => {
    if (code === "NOT_FOUND") return routeFault(routes(), request);
    if (code !== "VALIDATION" || (error as ValidationError).type === "response") return faultOf(error);
    return validationFault(error as ValidationError);
  };

  return (
    new Elysia({ name: "frame" })
      .decorate({ requestId: "", startedAt: 0 })
      // Elysia reads in a hook's text whether it is asynchronous, and a returned call is a sign of it to it: this one would
      // make every request wait for a promise, 1.5 microseconds of 26. Hence the variable.
      .onRequest(function begin(context) {
        const startedAt = performance.now();
        context.startedAt = startedAt;
        let answer: Response | undefined;
        if (context.request.method === "OPTIONS") answer = respondToOptions(context.request, startedAt);
        return answer;
      })
      .onBeforeHandle({ as: "global" }, function refuseRepeated({ request }) {
        const repeated = repeatedParameter(request.url);
        if (repeated !== undefined) throw new Fault("invalid_request", `${quoted(repeated)}: is given twice`);
      })
      .onError({ as: "global" }, function refuse(context) {
        const { code, error, request, headers } = context;
        const fault = refusalOf(code, error, request);
        if (!(error instanceof Fault)) onError?.(error);
        context.requestId = requestIdOf(headers["x-request-id"]);
        if (isServerFailure(fault))
          log.error({ err: loggable(error), requestId: context.requestId }, fault.code);
        return faultResponse(fault);
      })
      .mapResponse({ as: "global" }, function finish(context) {
        const { responseValue, set, request, headers, route, startedAt } = context;
        // A decoration of `authorization`, which this plugin does not see in its types.
        const keyId = (context as { key?: AuthenticatedKey }).key?.id ?? 0;
        if (set.headers["deprecation"] && keyId !== 0) metrics.countDeprecated(route, keyId);
        const passage = {
          requestId: context.requestId || requestIdOf(headers["x-request-id"]),
          method: namedMethod(request.method),
          route,
          startedAt,
          keyId,
        };
        return conclude(responseOf(responseValue, Number(set.status ?? 200)), passage, headers["origin"]);
      })
  );
};
