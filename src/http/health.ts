import { Elysia } from "elysia";
import type { Metrics } from "./metrics.ts";
import { NoQuery } from "./schemas.ts";
import type { Shared } from "./shared.ts";

/** One thing that readiness depends on: it throws, with what to do, if it is not so. */
export type Check = () => void | Promise<void>;

const outcomeOf = async (check: Check): Promise<string> => {
  try {
    await check();
    return "ok";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

export const healthRoutes = ({
  checks,
  metrics,
  shared,
}: {
  checks: Readonly<Record<string, Check>>;
  metrics: Metrics;
  shared: Shared;
}) =>
  new Elysia({ name: "health", normalize: false })
    .use(shared)
    .get("/livez", () => Response.json({ status: "ok" }), { public: true, query: NoQuery })
    .get(
      "/readyz",
      async () => {
        const entries = Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)]);
        const outcomes = Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
        const ready = Object.values(outcomes).every((outcome) => outcome === "ok");
        return Response.json(
          { status: ready ? "ready" : "not_ready", checks: outcomes },
          { status: ready ? 200 : 503, headers: { "cache-control": "no-store" } },
        );
      },
      { public: true, query: NoQuery },
    )
    .get(
      "/metrics",
      async () => new Response(await metrics.expose(), { headers: { "content-type": metrics.contentType } }),
      { scope: "metrics:read", query: NoQuery },
    );
