import { generateDocuments } from "../../src/pages/openapi/document.ts";
import type { Store } from "./store.ts";

/** A JSON schema or any other node of an OpenAPI document. */
export type Node = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Node;
}

export interface Operation {
  document: "store" | "platform";
  method: string;
  /** With `{parameters}`, below `base`. */
  path: string;
  /** The path prefix of the document's server. */
  base: string;
  operationId: string;
  isPublic: boolean;
  scope: string | undefined;
  parameters: Parameter[];
  bodySchema: Node | undefined;
  /** By status; undefined for a response without a JSON body. */
  responses: Record<string, Node | undefined>;
  raw: Node;
}

const jsonSchemaOf = (content: unknown): Node | undefined =>
  (content as { "application/json"?: { schema?: Node } } | undefined)?.["application/json"]?.schema;

/** All operations of both documents, and the schemas that they refer to. */
export const operationsOf = async (store: Store): Promise<{ operations: Operation[]; schemas: Node }> => {
  const documents = await generateDocuments(store.app);
  const operations: Operation[] = [];
  const schemas: Node = {};
  for (const [document, base] of [
    ["store", "/v1"],
    ["platform", ""],
  ] as const) {
    const { paths, components } = documents(document, { baseUrl: "", stagingBaseUrl: "" }) as {
      paths: Record<string, Record<string, Node>>;
      components: { schemas: Node };
    };
    Object.assign(schemas, components.schemas);
    for (const [path, methods] of Object.entries(paths))
      for (const [method, raw] of Object.entries(methods)) {
        const [requirement] = raw["security"] as object[];
        const responses = Object.entries(raw["responses"] as Record<string, Node>);
        operations.push({
          document,
          base,
          path,
          raw,
          method: method.toUpperCase(),
          operationId: String(raw["operationId"]),
          isPublic: requirement === undefined,
          scope: (raw["x-scopes"] as string[] | undefined)?.[0],
          parameters: raw["parameters"] as Parameter[],
          bodySchema: jsonSchemaOf((raw["requestBody"] as Node | undefined)?.["content"]),
          responses: Object.fromEntries(
            responses.map(([status, { content }]) => [status, jsonSchemaOf(content)]),
          ),
        });
      }
  }
  return { operations, schemas };
};

/** The path of an operation with every parameter filled in. */
export const pathWith = ({ base, path }: Operation, fill: (name: string) => string): string =>
  base + path.replace(/\{(\w+)\}/g, (_, name: string) => fill(name));
