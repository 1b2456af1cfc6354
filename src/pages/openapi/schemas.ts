/** A node of a JSON document. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const mapValues = (object: Json, map: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));

export const refTo = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` });

/** A schema as the document shows it: a schema with a name becomes a reference. */
export const schemaOf = (schema: unknown, isDefinition = false): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => schemaOf(one));
  if (!isObject(schema)) return schema;
  if (typeof schema["$id"] === "string" && !isDefinition) return refTo(schema["$id"]);
  const { $id: _name, ...rest } = schema;
  return mapValues(rest, (value) => schemaOf(value));
};

/** Every schema with a name, nested ones included. */
export const namedSchemasIn = (node: unknown, found: Json = {}): Json => {
  if (Array.isArray(node)) for (const one of node) namedSchemasIn(one, found);
  if (!isObject(node)) return found;
  if (typeof node["$id"] === "string") found[node["$id"]] ??= schemaOf(node, true);
  for (const value of Object.values(node)) namedSchemasIn(value, found);
  return found;
};

/** Responses allow unknown fields: a later version may add some. */
export const allowMoreFields = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(allowMoreFields);
  if (!isObject(schema)) return schema;
  const { additionalProperties, ...rest } = schema;
  return mapValues(additionalProperties === false ? rest : schema, allowMoreFields);
};

/** The names of the schemas that a node refers to, directly or through other schemas. */
export const usedSchemas = (node: unknown, schemas: Json, found = new Set<string>()): Set<string> => {
  if (Array.isArray(node)) for (const one of node) usedSchemas(one, schemas, found);
  if (!isObject(node)) return found;
  const name = typeof node["$ref"] === "string" ? node["$ref"].replace("#/components/schemas/", "") : "";
  if (name in schemas && !found.has(name)) {
    found.add(name);
    usedSchemas(schemas[name], schemas, found);
  }
  for (const value of Object.values(node)) usedSchemas(value, schemas, found);
  return found;
};

/** The name of the schema that a reference names; undefined for other schemas. */
export const referredName = (schema: unknown): string | undefined =>
  isObject(schema) && typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined;

/** The schema itself, or the one that it refers to. */
export const resolve = (schema: unknown, schemas: Json): Json => {
  const name = referredName(schema);
  return ((name === undefined ? undefined : schemas[name]) ?? schema) as Json;
};

/** The value of a parameter in samples: its first example. */
export const exampleOf = ({ schema }: Json, schemas: Json): string => {
  const { examples, default: fallback } = resolve(schema, schemas);
  return String((Array.isArray(examples) ? examples[0] : undefined) ?? fallback ?? "");
};

/** The first media type of a request body, with its content. A file is sent as it is, not in a form. */
export const firstContent = (requestBody: unknown): [type: string, content: Json] | undefined =>
  isObject(requestBody)
    ? Object.entries(requestBody["content"] as Record<string, Json>).find(
        ([type]) => type !== "multipart/form-data",
      )
    : undefined;

/** True if an operation requires an API key. */
export const isKeyed = ({ security }: Json): boolean => Array.isArray(security) && security.length > 0;

/** Each operation of a document. */
export const operationsIn = <Operation>(paths: Record<string, Record<string, Operation>>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
