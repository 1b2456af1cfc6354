import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { Fault, faultResponse } from "../lib/errors.ts";
import { reasonOf } from "../lib/reason.ts";
import { endpoints } from "./endpoint.ts";
import { completeHeaders, requestIdOf } from "./lifecycle.ts";
import type { Metrics } from "./metrics.ts";
import { OneOf } from "./schemas.ts";
import type { Macros } from "./macros.ts";

const ok = (status: string, warnings: readonly object[] = []) =>
  new Response(JSON.stringify({ status, ...(warnings.length > 0 && { warnings }) }), {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });

const notReady = (message: string, retryAfter: number) =>
  faultResponse(new Fault("not_ready", message, { "retry-after": String(retryAfter) }));

/** Sets the headers that the lifecycle sets once the service has started. */
const complete = (request: Request, response: Response): Response => {
  response.headers.set("x-request-id", requestIdOf(request.headers.get("x-request-id")));
  completeHeaders(response.headers, false);
  return response;
};

/** Responds while the database is being migrated, or loaded from a cluster: 200 to `/livez`, 503 to everything else. */
export const respondWhilePreparing = (request: Request): Response =>
  complete(
    request,
    new URL(request.url).pathname === "/livez"
      ? ok("alive")
      : notReady("The database is being prepared; the log shows the progress. Try again later.", 5),
  );

/**
 * Responds with 503 to every request, even to `/livez`, until the first key is written: a script that waits for any other
 * response can then read the key.
 */
export const respondWhileStarting = (request: Request): Response =>
  complete(request, notReady("The service is starting; try again in a moment.", 1));

/** A readiness check. It throws an error that includes the remedy. */
export type Check = () => void | Promise<void>;

/** The reason for a failed check, in text that is safe to publish. */
export class PublicProblem extends Error {
  override name = "PublicProblem";
}

/** A problem that needs attention soon, while the service still works. */
export interface Warning {
  /** In lower_snake. Public. */
  code: string;
  /** The number of things affected. Public. */
  count: number;
  /** Names the affected things and the remedy. Only for keys with `metrics:read`. */
  message: string;
}

const Liveness = t.Object(
  { status: OneOf("Alive", ["alive"], { examples: ["alive"] }) },
  { $id: "Liveness", description: "The process is alive." },
);

const ReadinessWarning = t.Object(
  {
    code: t.String({ description: "The kind of warning.", examples: ["certificates_end_soon"] }),
    count: Type.Integer({ minimum: 1, description: "Number of affected things.", examples: [1] }),
    message: t.Optional(
      t.String({ description: "What to do. Only keys with the scope `metrics:read` see it." }),
    ),
  },
  { $id: "ReadinessWarning", description: "A problem that needs attention soon." },
);

const Readiness = t.Object(
  {
    status: OneOf("Ready", ["ready"], { examples: ["ready"] }),
    warnings: t.Optional(
      t.Array(ReadinessWarning, {
        description: "Problems that need attention soon. Absent if there are none.",
      }),
    ),
  },
  { $id: "Readiness", description: "The service is ready." },
);

interface Failure {
  /** The check that failed. */
  name: string;
  reason: string;
  isPublic: boolean;
}

const runChecks = async (checks: Readonly<Record<string, Check>>): Promise<Failure[]> => {
  const attempts = Object.entries(checks).map(async ([name, check]) => {
    try {
      await check();
      return [];
    } catch (error) {
      return [{ name, reason: reasonOf(error), isPublic: error instanceof PublicProblem }];
    }
  });
  return (await Promise.all(attempts)).flat();
};

const detailedMessage = (failures: readonly Failure[]): string =>
  failures.map(({ name, reason }) => `${name}: ${reason}`).join("; ");

/** Names all checks that failed, and the reasons that are public. */
const publicMessage = (failures: readonly Failure[]): string => {
  const list = failures.map((failure) => (failure.isPublic ? detailedMessage([failure]) : failure.name));
  const isComplete = failures.every(({ isPublic }) => isPublic);
  return `The service is not ready (${list.join("; ")})${isComplete ? "." : "; use a key with the scope metrics:read to see why."}`;
};

/** One line about the service: "Ready", or which checks fail and why. */
export const describeReadiness = async (checks: Readonly<Record<string, Check>>): Promise<string> => {
  const failures = await runChecks(checks);
  return failures.length === 0 ? "Ready" : `Not ready: ${detailedMessage(failures)}`;
};

/** Probes and metrics. */
export const healthEndpoints = ({
  checks,
  warnings = () => [],
  mayReadDetails,
  metrics,
  macros,
}: {
  checks: Readonly<Record<string, Check>>;
  warnings?: () => readonly Warning[];
  /** True if the request's key may read details. Other requests get counts and the names of checks. */
  mayReadDetails: (request: Request) => Promise<boolean>;
  metrics: Metrics;
  macros: Macros;
}) => {
  const { add, app } = endpoints({ macros, tag: "operation", scope: "public" });
  add("GET /livez", {
    id: "getLiveness",
    summary: "Check that the process is alive",
    description:
      "Responds while the process is alive. A supervisor restarts the process if it does not respond. No API key is required.",
    returns: [Liveness, "The process is alive.", { status: "alive" }],
    run: () => ok("alive"),
  });
  add("GET /readyz", {
    id: "getReadiness",
    summary: "Check that the service is ready",
    description:
      "Responds with 200 if the service can work, for load balancers. The database is writable, its migrations are current, the disk has room, file descriptors are free, and HTTP/2 responses are below their total limit. If a part of the database is damaged, the message names the damaged and the working parts. `warnings` counts problems that need attention soon, such as certificates that are about to expire.\n\nNo API key is required. A key with the scope `metrics:read` also gets the messages of the warnings, and the reason why the service is not ready.",
    returns: [Readiness, "The service is ready.", { status: "ready" }],
    faults: ["not_ready"],
    run: async ({ request }) => {
      const failures = await runChecks(checks);
      // Keys cannot be checked without a readable database.
      const isDetailed = await mayReadDetails(request).catch(() => false);
      if (failures.length === 0)
        return ok("ready", isDetailed ? warnings() : warnings().map(({ code, count }) => ({ code, count })));
      const message = (isDetailed ? detailedMessage : publicMessage)(failures);
      throw new Fault("not_ready", message, { "retry-after": "5" });
    },
  });
  add("GET /metrics", {
    id: "getMetrics",
    summary: "Get metrics in the Prometheus text format",
    description:
      "Returns metrics for Prometheus: requests by route, deprecated calls by key, and the resources of the process.",
    scope: "metrics:read",
    returns: [t.String(), "The metrics.", 'adoption_store_info{version="1.0.0"} 1\n'],
    response: { textAs: "text/plain" },
    run: async () => {
      const { text, contentType } = await metrics.expose();
      return new Response(text, { headers: { "content-type": contentType } });
    },
  });
  return app;
};
