import { Elysia } from "elysia";
import { Fault } from "./faults.ts";
import type { Metrics } from "./metrics.ts";
import { operation } from "./operation.ts";
import { NoQuery } from "./schemas.ts";
import type { Shared } from "./shared.ts";

/** One thing that readiness depends on: it throws, with what to do, if it is not so. */
export type Check = () => void | Promise<void>;

const TAGS = ["operation"];

const livez = operation({
  operationId: "getLiveness",
  summary: "Is the process alive?",
  description: "For supervisors: restart the process if it does not answer. No key is needed.",
  tags: TAGS,
  answers: { 200: { description: "It is." } },
});

const readyz = operation({
  operationId: "getReadiness",
  summary: "Can the service do its work?",
  description:
    "For load balancers, without a key. Ready means: the database can be written, its migrations are current, and the disk has room. `warnings` names what will need somebody, such as a certificate that ends soon.",
  tags: TAGS,
  answers: { 200: { description: "It can." } },
  faults: ["not_ready"],
});

const exposition = operation({
  operationId: "getMetrics",
  summary: "Metrics in the Prometheus text format",
  description: "Requests by route template, deprecated calls by key, and what the process uses.",
  tags: TAGS,
  answers: { 200: { description: "The metrics." } },
});

/** What is wrong, by the check that found it. */
const failuresOf = async (checks: Readonly<Record<string, Check>>): Promise<string[]> => {
  const attempts = Object.entries(checks).map(async ([name, check]) => {
    try {
      await check();
      return [];
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  return (await Promise.all(attempts)).flat();
};

const ok = (status: string, warnings: readonly string[] = []) =>
  new Response(JSON.stringify({ status, ...(warnings.length > 0 && { warnings }) }), {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });

export const healthRoutes = ({
  checks,
  warnings = () => [],
  metrics,
  shared,
}: {
  checks: Readonly<Record<string, Check>>;
  /** What will need somebody, though the service does its work. */
  warnings?: () => readonly string[];
  metrics: Metrics;
  shared: Shared;
}) =>
  new Elysia({ name: "health", normalize: false })
    .use(shared)
    .get("/livez", () => ok("alive"), { stability: "beta", public: true, query: NoQuery, detail: livez })
    .get(
      "/readyz",
      async () => {
        const failures = await failuresOf(checks);
        if (failures.length > 0) throw new Fault("not_ready", failures.join("; "), { "retry-after": "5" });
        return ok("ready", warnings());
      },
      { stability: "beta", public: true, query: NoQuery, detail: readyz },
    )
    .get(
      "/metrics",
      async () => {
        const { text, contentType } = await metrics.expose();
        return new Response(text, { headers: { "content-type": contentType } });
      },
      { stability: "beta", scope: "metrics:read", query: NoQuery, detail: exposition },
    );
