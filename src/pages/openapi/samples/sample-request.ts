import { type Json, exampleOf, firstContent, isKeyed } from "../schemas.ts";

/** The request that the samples of an operation send. */
export interface SampleRequest {
  method: string;
  url: string;
  /** Whether the request carries an API key. */
  isKeyed: boolean;
  body?: { type: string; json: unknown } | { type: string; file: string };
  /** The samples' handling of the response's body. */
  response: "json" | "text" | "stream" | "none";
}

const FILES: Record<string, string> = { "application/gzip": "site.tar.gz" };

/** Required parameters, and the page size, which readers ask for first. */
const isSent = ({ in: place, name, required }: Json): boolean =>
  place === "query" && (required === true || name === "limit");

const urlOf = (base: string, path: string, parameters: Json[], schemas: Json): string => {
  const values = new Map(parameters.map((one) => [one["name"], exampleOf(one, schemas)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
  const query = new URLSearchParams(
    parameters.filter(isSent).map((one): [string, string] => [String(one["name"]), exampleOf(one, schemas)]),
  ).toString();
  return `${base}${filled}${query && `?${query}`}`;
};

const bodyOf = (requestBody: unknown): SampleRequest["body"] => {
  const [type, content] = firstContent(requestBody) ?? [];
  if (type === undefined) return undefined;
  return type === "application/json"
    ? { type, json: content?.["example"] }
    : { type, file: FILES[type] ?? "file" };
};

const responseOf = (responses: Record<string, Json>): SampleRequest["response"] => {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const types = Object.keys((success?.["content"] as Json | undefined) ?? {});
  if (types.length === 0) return "none";
  if (types.includes("application/json")) return "json";
  return types.includes("text/event-stream") ? "stream" : "text";
};

/**
 * The request that the samples of an operation send, from the examples in the document.
 * @param base the address that paths are relative to
 */
export const sampleRequest = (
  base: string,
  path: string,
  method: string,
  operation: Json,
  schemas: Json,
): SampleRequest => {
  const { parameters, requestBody, responses } = operation;
  const body = bodyOf(requestBody);
  return {
    method: method.toUpperCase(),
    url: urlOf(base, path, (parameters as Json[] | undefined) ?? [], schemas),
    isKeyed: isKeyed(operation),
    ...(body && { body }),
    response: responseOf(responses as Record<string, Json>),
  };
};
