import { writeYaml } from "../../http/yaml.ts";
import { type Json, exampleOf, firstContent, isKeyed, operationsIn } from "./schemas.ts";
import type { DocumentName } from "./sections.ts";

/** A parameter of a path is a variable of the address: `:petId`. */
const VARIABLE = /\{(\w+)\}/g;

/** A parameter with its first example. Optional ones can be switched on in the program. */
const entryOf = (parameter: Json, schemas: Json): Json => {
  const { name: key, description, in: place, required } = parameter;
  const value = exampleOf(parameter, schemas);
  return { key, value, description, ...(place !== "path" && { disabled: required !== true }) };
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

const bodyOf = ({ example }: Json): Json =>
  example === undefined
    ? { mode: "file", file: {} }
    : { mode: "raw", raw: JSON.stringify(example, null, 2), options: { raw: { language: "json" } } };

const itemOf = (path: string, method: string, operation: Json, schemas: Json): Json => {
  const [type, content] = firstContent(operation["requestBody"]) ?? [];
  const headers = entriesIn("header", operation, schemas);
  return {
    name: operation["summary"],
    request: {
      method: method.toUpperCase(),
      description: operation["description"],
      url: urlOf(path, operation, schemas),
      header: [...(type ? [{ key: "Content-Type", value: type }] : []), ...headers],
      ...(content && { body: bodyOf(content) }),
      ...(!isKeyed(operation) && { auth: { type: "noauth" } }),
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
  const operations = operationsIn(paths);
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
