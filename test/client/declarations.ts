/** The keywords of JSON Schema that decide a type. The others only limit its values. */
export interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  type?: string;
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

interface Field {
  name: string;
  schema: Schema;
  required?: boolean;
  description?: string | undefined;
}

interface Parameter extends Field {
  in: string;
}

/** The body of a request, or a response. */
interface Message {
  description?: string;
  required?: boolean;
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: Message;
  responses: Record<string, Message>;
}

/** The parts of an OpenAPI document that decide types. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** The comment above a member, which editors show. */
const commentOf = (...paragraphs: (string | false | undefined)[]): string => {
  const text = paragraphs.filter(Boolean).join("\n\n").replaceAll("*/", "*\\/");
  if (text === "") return "";
  if (!text.includes("\n")) return `/** ${text} */\n`;
  const lines = text.split("\n").map((line) => ` * ${line}`.trimEnd());
  return `/**\n${lines.join("\n")}\n */\n`;
};

const member = (name: string, type: string, options: { isOptional?: boolean; comment?: string } = {}) => {
  const { isOptional = false, comment = "" } = options;
  const key = /^(?:[a-z_$][\w$]*|\d+)$/i.test(name) ? name : JSON.stringify(name);
  return `${comment}${key}${isOptional ? "?" : ""}: ${type};`;
};

/** On one line if it is short. */
const objectOf = (members: string[]): string => {
  if (members.length === 0) return "{}";
  const line = `{ ${members.join(" ").replace(/;$/, "")} }`;
  if (line.length <= 80 && !line.includes("\n")) return line;
  return `{\n${members.join("\n").replaceAll(/^(?=.)/gm, "  ")}\n}`;
};

const fieldOf = ({ name, schema, required = false, description }: Field): string => {
  // The only integer that clients choose. The service assigns the others, below 2^53.
  const isInt64 = name === "categoryId" && schema.type === "integer";
  const texts = [description, schema.format && `Format: ${schema.format}.`];
  const comment = commentOf(texts.filter(Boolean).join(" "));
  return member(name, isInt64 ? "number | bigint" : typeOf(schema), { isOptional: !required, comment });
};

const typeOfObject = ({ properties = {}, required = [], additionalProperties = false }: Schema): string => {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fieldOf({ name, schema, required: required.includes(name), description: schema.description }),
  );
  if (!additionalProperties) return objectOf(fields);
  const other = additionalProperties === true ? "unknown" : typeOf(additionalProperties);
  return objectOf([...fields, `[name: string]: ${other};`]);
};

/** @throws if the documents have had no schema of this form */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, enum: values, type, format, items } = schema;
  if ($ref) return `components["schemas"]["${$ref.split("/").at(-1)}"]`;
  if (anyOf) return anyOf.map(typeOf).join(" | ");
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "object") return typeOfObject(schema);
  if (type === "array" && items) return `(${typeOf(items)})[]`;
  if (type === "string") return format === "binary" ? "Blob" : "string";
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean" || type === "null") return type;
  if (Object.keys(schema).every((keyword) => keyword === "description")) return "unknown";
  throw new Error(`The client's types have no form for the schema ${JSON.stringify(schema)}.`);
}

/** `never` refuses parameters where the operation has none. */
const parametersOf = (parameters: Parameter[]): string =>
  objectOf(
    ["query", "header", "path"].map((place) => {
      const here = parameters.filter((parameter) => parameter.in === place);
      const isOptional = !here.some(({ required }) => required);
      return member(place, here.length > 0 ? objectOf(here.map(fieldOf)) : "never", { isOptional });
    }),
  );

const typeOfMessage = ({ content }: Message): string => {
  if (!content) return "{ content?: never }";
  const mediaTypes = Object.entries(content).map(([name, { schema }]) =>
    member(name, schema ? typeOf(schema) : "unknown"),
  );
  return objectOf([member("content", objectOf(mediaTypes))]);
};

/** All errors have the form of the first one. */
const responsesOf = (responses: Record<string, Message>): string => {
  const isError = (status: string): boolean => /^[45]/.test(status);
  const error = Object.entries(responses).find(([status]) => isError(status))?.[1];
  const members = Object.entries(responses)
    .filter(([status]) => !isError(status))
    .map(([status, response]) =>
      member(status, typeOfMessage(response), { comment: commentOf(response.description) }),
    );
  return objectOf([...members, ...(error ? [member("default", typeOfMessage(error))] : [])]);
};

const typeOfOperation = ({ parameters = [], requestBody, responses }: Operation): string => {
  const isOptional = !requestBody?.required;
  return objectOf([
    member("parameters", parametersOf(parameters)),
    member("requestBody", requestBody ? typeOfMessage(requestBody) : "never", { isOptional }),
    member("responses", responsesOf(responses)),
  ]);
};

const typeOfPath = (methods: Record<string, Operation>): string =>
  objectOf(
    Object.entries(methods).map(([method, { operationId, summary, description, deprecated }]) =>
      member(method, `operations["${operationId}"]`, {
        comment: commentOf(summary, description, deprecated && "@deprecated"),
      }),
    ),
  );

/** The declarations of an OpenAPI document, in the form that openapi-fetch reads too. */
export const declarationsOf = ({ paths, components }: Document): string => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    member(name, typeOf(schema), { comment: commentOf(schema.description) }),
  );
  const declarations = {
    paths: Object.entries(paths).map(([path, methods]) => member(path, typeOfPath(methods))),
    components: [member("schemas", objectOf(schemas))],
    operations: operations.map((operation) => member(operation.operationId, typeOfOperation(operation))),
  };
  return Object.entries(declarations)
    .map(([name, members]) => `export interface ${name} ${objectOf(members)}\n`)
    .join("\n");
};
