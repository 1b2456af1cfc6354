import { EngineUnavailable } from "../lib/storage-errors.ts";
import { type Fault } from "../lib/errors.ts";
import { type Logger, type RequestLogEntry, logRequest } from "../lib/log.ts";
import type { Metrics } from "./metrics.ts";

export interface RequestSummary extends Omit<RequestLogEntry, "method" | "url" | "status" | "ms"> {
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
