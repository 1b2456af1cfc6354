import { type Json, operationsIn } from "../schemas.ts";
import type { CodeSample } from "../samples/samples.ts";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Json;
}

type Content = Record<
  string,
  { schema?: Json; example?: unknown; examples?: Record<string, { value: { code?: string } }> }
>;

export interface Response {
  description: string;
  headers?: Json;
  content?: Content;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  "x-stability"?: string;
  "x-codeSamples": CodeSample[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
}

/** The parts of an OpenAPI document that the reference shows. */
export interface Document {
  info: { title: string; description: string; version: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    headers: Record<string, { description: string; schema: Json }>;
    schemas: Record<string, Json>;
  };
}

/** An operation with its place. */
export interface PlacedOperation extends Operation {
  method: string;
  /** From the root of the host, with `{parameters}`. */
  path: string;
}

/** The path that all paths of a document begin with: `/v1`, or nothing. */
const basePathOf = ({ servers }: Document): string =>
  new URL(servers[0]?.url ?? "/", "http://localhost").pathname.replace(/\/$/, "");

export type TagWithOperations = Document["tags"][number] & { operations: PlacedOperation[] };

/** The operations of each tag, in the order of the tags. */
export const operationsByTag = (document: Document): TagWithOperations[] => {
  const base = basePathOf(document);
  const operations = operationsIn(document.paths).map(({ path, method, operation }) =>
    Object.assign({ method: method.toUpperCase(), path: base + path }, operation),
  );
  return document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags.includes(tag.name)),
  }));
};
