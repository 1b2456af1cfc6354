/** Imports `with { type: "text" }` give the text of a file. */
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.svg" {
  const text: string;
  export default text;
}

/** Imports `with { type: "file" }` give a path that is readable in the executable too. */
declare module "*.css" {
  const path: string;
  export default path;
}
declare module "swagger-ui-dist/*.js" {
  const path: string;
  export default path;
}

/** The files of prom-client that are used. Its index also loads its clusters, its default metrics and OpenTelemetry. */
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}

/** The file of rate-limiter-flexible that is used. Its index loads the stores of a dozen databases. */
declare module "rate-limiter-flexible/lib/RateLimiterMemory.js" {
  export { RateLimiterMemory as default } from "rate-limiter-flexible";
}

/** JSON.parse source text access (ECMAScript 2026). Bun has it; TypeScript's library types do not yet. */
interface RawJSON {
  readonly rawJSON: string;
}
interface JSON {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
}
