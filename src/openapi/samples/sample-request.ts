import { type Json, isObject } from "../schemas.ts";

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

const schemaOf = (schema: unknown, schemas: Json): Json => {
  const name = isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : "";
  return (name ? schemas[name] : schema) as Json;
};

/** The value of a parameter in the samples: its first example. */
const exampleOf = ({ schema }: Json, schemas: Json): string => {
  const { examples, default: fallback } = schemaOf(schema, schemas);
  return String((Array.isArray(examples) ? examples[0] : undefined) ?? fallback ?? "");
};

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
  if (!isObject(requestBody)) return undefined;
  const [[type, content] = []] = Object.entries(requestBody["content"] as Record<string, Json>);
  if (type === undefined || content === undefined) return undefined;
  return type === "application/json"
    ? { type, json: content["example"] }
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
  { parameters, requestBody, responses, security }: Json,
  schemas: Json,
): SampleRequest => {
  const body = bodyOf(requestBody);
  return {
    method: method.toUpperCase(),
    url: urlOf(base, path, (parameters as Json[] | undefined) ?? [], schemas),
    isKeyed: Array.isArray(security) && security.length > 0,
    ...(body && { body }),
    response: responseOf(responses as Record<string, Json>),
  };
};
