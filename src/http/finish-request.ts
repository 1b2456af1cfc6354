import { type Fault } from "../lib/errors.ts";
import { type Logger, logRequest } from "../lib/log.ts";
import type { Metrics } from "./metrics.ts";

/** One request on its way out. */
export interface RequestSummary {
  requestId: string;
  /** For logs and metrics: none of it is a client's own words. */
  method: string;
  route: string;
  /** By `performance.now()`. */
  startedAt: number;
  /** 0 if no key opened the request. */
  keyId: number;
}

/** Methods that logs and metrics name; a client can make up any other. */
const KNOWN = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

export const namedMethod = (method: string): string => (KNOWN.has(method) ? method : "other");

/** Gives an answer its id, counts it and logs it. */
export type FinishRequest = (answer: Response, passage: RequestSummary) => Response;

export const finishRequest =
  ({ metrics, log }: { metrics: Metrics; log: Logger }): FinishRequest =>
  (answer, { requestId, method, route, startedAt, keyId }) => {
    const { headers, status } = answer;
    headers.set("x-request-id", requestId);
    const ms = performance.now() - startedAt;
    metrics.observe(method, route, status, ms / 1000);
    logRequest(log, { requestId, method, route, status, ms, keyId });
    return answer;
  };

/** True for what the client has no part in: the log says more of it. */
export const isServerFailure = ({ code }: Fault): boolean =>
  code === "internal_error" || code === "storage_unavailable" || code === "outcome_unknown";
