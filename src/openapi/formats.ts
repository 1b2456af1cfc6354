import { writeYaml } from "../http/yaml.ts";
import { type Json, isObject } from "./schemas.ts";
import type { DocumentName } from "./sections.ts";

/** A parameter of a path is a variable of the address: `:petId`. */
const VARIABLE = /\{(\w+)\}/g;

/** A parameter with its first example. Optional ones can be switched on in the program. */
const entryOf = ({ name: key, schema, description, in: place, required }: Json, schemas: Json): Json => {
  const name = isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : "";
  const { examples, default: fallback } = (name ? schemas[name] : schema) as Json;
  const value = (Array.isArray(examples) ? examples[0] : undefined) ?? fallback ?? "";
  return { key, value: String(value), description, ...(place !== "path" && { disabled: required !== true }) };
};

const entriesIn = (place: string, { parameters }: Json, schemas: Json): Json[] =>
  ((parameters as Json[] | undefined) ?? [])
    .filter((one) => one["in"] === place)
    .map((one) => entryOf(one, schemas));

const urlOf = (path: string, operation: Json, schemas: Json): Json => {
  const query = entriesIn("query", operation, schemas);
  const variable = entriesIn("path", operation, schemas);
  const segments = path.replace(VARIABLE, ":$1").split("/").slice(1);
  return {
    raw: `{{baseUrl}}/${segments.join("/")}`,
    host: ["{{baseUrl}}"],
    path: segments,
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  };
};

const bodyOf = (requestBody: unknown): { type: string; body: Json } | undefined => {
  if (!isObject(requestBody)) return undefined;
  const [[type, content] = []] = Object.entries(requestBody["content"] as Record<string, Json>);
  if (type === undefined) return undefined;
  const example = content?.["example"];
  return example === undefined
    ? { type, body: { mode: "file", file: {} } }
    : {
        type,
        body: {
          mode: "raw",
          raw: JSON.stringify(example, null, 2),
          options: { raw: { language: "json" } },
        },
      };
};

const itemOf = (path: string, method: string, operation: Json, schemas: Json): Json => {
  const body = bodyOf(operation["requestBody"]);
  const headers = entriesIn("header", operation, schemas);
  const isPublic = !Array.isArray(operation["security"]) || operation["security"].length === 0;
  return {
    name: operation["summary"],
    request: {
      method: method.toUpperCase(),
      description: operation["description"],
      url: urlOf(path, operation, schemas),
      header: [...(body ? [{ key: "Content-Type", value: body.type }] : []), ...headers],
      ...(body && { body: body.body }),
      ...(isPublic && { auth: { type: "noauth" } }),
    },
    response: [],
  };
};

interface Document {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Json };
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/**
 * An OpenAPI document as a Postman collection 2.1, which Bruno, Insomnia and others import too. A folder for each tag.
 * It holds no key: its variables are `baseUrl` and `apiKey`.
 * @param baseUrl the absolute address that paths are relative to
 */
const postmanCollection = (document: object, baseUrl: string): object => {
  const { info, tags, paths, components } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: baseUrl, type: "string" },
      { key: "apiKey", value: "", type: "string" },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => (operation["tags"] as string[]).includes(name))
        .map(({ path, method, operation }) => itemOf(path, method, operation, components.schemas)),
    })),
  };
};

interface Format {
  /** The end of its address, after `/openapi`. */
  suffix: string;
  type: string;
  /** @param base the absolute address that the document's paths are relative to */
  write(document: object, base: string): string;
}

/** The forms in which an OpenAPI document can be downloaded and printed. */
export const FORMATS = {
  json: { suffix: ".json", type: "application/json", write: (document) => JSON.stringify(document) },
  // RFC 9512 section 2.1.
  yaml: { suffix: ".yaml", type: "application/yaml", write: (document) => writeYaml(document) },
  postman: {
    suffix: ".postman.json",
    type: "application/json",
    write: (document, base) => JSON.stringify(postmanCollection(document, base)),
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

const PATHS: Record<DocumentName, string> = { store: "/openapi", platform: "/platform/openapi" };

/** The address of a document in a format: `/platform/openapi.yaml`. */
export const documentPath = (name: DocumentName, format: FormatName): string =>
  `${PATHS[name]}${FORMATS[format].suffix}`;
