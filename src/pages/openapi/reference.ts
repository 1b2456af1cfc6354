import { type Json, operationsIn, isObject, referredName, resolve } from "./schemas.ts";
import { type CodeSample, LANGUAGES, JSON_NOTATION, literal } from "./samples.ts";

interface Parameter {
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

interface Response {
  description: string;
  headers?: Json;
  content?: Content;
}

interface Operation {
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
interface PlacedOperation extends Operation {
  method: string;
  /** From the root of the host, with `{parameters}`. */
  path: string;
}

/** The path that all paths of a document begin with: `/v1`, or nothing. */
const basePathOf = ({ servers }: Document): string =>
  new URL(servers[0]?.url ?? "/", "http://localhost").pathname.replace(/\/$/, "");

type TagWithOperations = Document["tags"][number] & { operations: PlacedOperation[] };

/** The operations of each tag, in the order of the tags. */
const operationsByTag = (document: Document): TagWithOperations[] => {
  const base = basePathOf(document);
  const operations = operationsIn(document.paths).map(({ path, method, operation }) =>
    Object.assign({ method: method.toUpperCase(), path: base + path }, operation),
  );
  return document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags.includes(tag.name)),
  }));
};

const OPTIONS = { noHtmlBlocks: true, noHtmlSpans: true } as const;

const escape = (text: unknown): string => Bun.escapeHTML(String(text));

const code = (text: unknown): string => `<code>${escape(text)}</code>`;

/** Markdown as paragraphs. */
const paragraphs = (markdown: unknown): string =>
  typeof markdown === "string" ? Bun.markdown.html(markdown, OPTIONS).trim() : "";

/** Markdown of one paragraph, without the paragraph. */
const inline = (markdown: unknown): string => paragraphs(markdown).replace(/^<p>|<\/p>$/g, "");

const link = (href: string, html: string): string => `<a href="${escape(href)}">${html}</a>`;

const anchorOf = (anchor: string, text: string): string =>
  `<a class="anchor" href="#${anchor}" aria-label="Link to ${escape(text)}">#</a>`;

/** The heading of a part of the page, with a link to itself. */
const partHeading = (anchor: string, text: string): string =>
  `<div class="heading"><h2 id="${anchor}">${escape(text)}</h2>${anchorOf(anchor, text)}</div>`;

/** The heading of a section that has the anchor itself. */
const sectionHeading = (anchor: string, text: string): string =>
  `<div class="heading"><h3>${escape(text)}</h3>${anchorOf(anchor, text)}</div>`;

/** Joins the parts that are not empty. */
const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");

type Schemas = Document["components"]["schemas"];

const schemaAnchor = (name: string): string => `schema-${name}`;

const schemaLink = (name: string): string => link(`#${schemaAnchor(name)}`, escape(name));

/** The type in a word or two, as HTML. A schema with a name is a link to it. */
const typeOf = (schema: Json | undefined): string => {
  if (!schema) return "";
  const name = referredName(schema);
  if (name !== undefined) return schemaLink(name);
  if (Array.isArray(schema["anyOf"]))
    return (schema["anyOf"] as Json[]).map((one) => typeOf(one)).join(" or ");
  if (schema["type"] === "array") return `array of ${typeOf(schema["items"] as Json) || "any value"}`;
  return escape([schema["type"], schema["format"]].filter(Boolean).join(", "));
};

const numberOf = (schema: Json, name: string): number | undefined =>
  typeof schema[name] === "number" ? schema[name] : undefined;

/** `1 to 100`, `at least 1`, `at most 100`; empty without a bound. */
const rangeOf = (min: number | undefined, max: number | undefined): string => {
  if (min === undefined) return max === undefined ? "" : `at most ${max}`;
  if (max === undefined) return `at least ${min}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
};

const RANGES = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " items"],
] as const;

const MAX_SHOWN_PATTERN = 48;

const patternOf = ({ pattern }: Json): string => {
  if (typeof pattern !== "string") return "";
  return pattern.length <= MAX_SHOWN_PATTERN
    ? `matches ${code(pattern)}`
    : `<details><summary>matches a pattern</summary>${code(pattern)}</details>`;
};

const valuesOf = (values: unknown): string => (Array.isArray(values) ? values.map(code).join(", ") : "");

const exceptOf = ({ not }: Json): string => {
  const values = valuesOf(isObject(not) ? not["enum"] : undefined);
  return values && `<details><summary>except reserved values</summary>${values}</details>`;
};

const defaultOf = (schema: Json): string =>
  schema["default"] === undefined ? "" : `default ${code(schema["default"])}`;

const shownExample = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const exampleOf = ({ examples, enum: values }: Json): string =>
  Array.isArray(examples) && !values ? `example ${code(shownExample(examples[0]))}` : "";

const constraintsOf = (schema: Json, schemas: Schemas): string => {
  const resolved = resolve(schema, schemas);
  const ranges = RANGES.map(([low, high, unit]) => {
    const range = rangeOf(numberOf(resolved, low), numberOf(resolved, high));
    return range && `${range}${unit}`;
  });
  const values = valuesOf(resolved["enum"]);
  const rules = [
    defaultOf(resolved),
    values && `one of ${values}`,
    ...ranges,
    resolved["uniqueItems"] ? "no item twice" : "",
    patternOf(resolved),
    exceptOf(resolved),
    exampleOf(resolved),
  ].filter((rule) => rule !== "");
  return rules.length === 0
    ? ""
    : `<ul class="rules">${rules.map((rule) => `<li>${rule}</li>`).join("")}</ul>`;
};

interface Field {
  name: string;
  schema: Json;
  isRequired: boolean;
  description: string;
}

const mark = ({ isRequired }: Field): string =>
  isRequired ? '<span class="required">required</span>' : '<span class="optional">optional</span>';

const fieldHtml = (field: Field, schemas: Schemas): string =>
  lines(
    `<dt>${code(field.name)} <span class="type">${typeOf(field.schema)}</span> ${mark(field)}</dt>`,
    `<dd>${inline(field.description)}${constraintsOf(field.schema, schemas)}</dd>`,
  );

const fieldList = (fields: readonly Field[], schemas: Schemas): string =>
  fields.length === 0
    ? ""
    : `<dl class="fields">\n${fields.map((field) => fieldHtml(field, schemas)).join("\n")}\n</dl>`;

const parameterList = (parameters: readonly Parameter[], schemas: Schemas): string =>
  fieldList(
    parameters.map(({ name, schema, required, description }) => ({
      name,
      schema,
      isRequired: required === true,
      description: description ?? "",
    })),
    schemas,
  );

const descriptionOf = ({ description }: Json): string => (typeof description === "string" ? description : "");

/** The fields of an object with a name; empty for other schemas. */
const propertyList = (schema: Json, schemas: Schemas): string => {
  const { properties, required } = resolve(schema, schemas);
  const names = Array.isArray(required) ? (required as string[]) : [];
  const fields = Object.entries((properties ?? {}) as Record<string, Json>).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: names.includes(name),
    description: descriptionOf(property) || descriptionOf(resolve(property, schemas)),
  }));
  return fieldList(fields, schemas);
};

/** Makes HTML of source text. `language` is one of highlight.js. */
type Highlight = (source: string, language: string) => string;

const NAMES: Record<string, string> = { curl: "bash" };

const codeBlock = (source: string, language: string, highlight: Highlight): string =>
  `<pre tabindex="0"><code>${highlight(source, NAMES[language] ?? language)}</code></pre>`;

/** One choice for all samples of a page. The style sheet shows those of the checked language, without JavaScript. */
const languageChoice = (): string => {
  const options = LANGUAGES.map(
    ({ lang, label }, at) =>
      `<label><input type="radio" name="language" id="language-${lang}" value="${lang}"${at === 0 ? " checked" : ""}> ${escape(label)}</label>`,
  );
  return `<fieldset class="languages">\n<legend>Examples in</legend>\n${options.join("\n")}\n</fieldset>`;
};

/** The content of a page. */
interface Context {
  document: Document;
  /** The address of the manual: `/manual`. */
  base: string;
  highlight: Highlight;
  /** The absolute address that paths are relative to. */
  apiAddress: string;
  /** The same document in other forms, by their names: `{ JSON: "/openapi.json" }`. */
  files: Readonly<Record<string, string>>;
}

const headerAnchor = (name: string): string => `header-${name.toLowerCase()}`;

const badges = ({ deprecated, ...operation }: PlacedOperation): string =>
  lines(
    operation["x-stability"] ? `<span class="badge beta">${escape(operation["x-stability"])}</span>` : "",
    deprecated ? '<span class="badge deprecated">deprecated</span>' : "",
  );

const endpoint = (operation: PlacedOperation): string =>
  `<p class="endpoint"><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${escape(operation.path).replaceAll("/", "/<wbr>")}</code> ${badges(operation)}</p>`;

const PLACES: readonly [Parameter["in"], string][] = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Request headers"],
];

const parameterSections = ({ parameters = [] }: PlacedOperation, { document }: Context): string =>
  lines(
    ...PLACES.map(([place, title]) => {
      const rows = parameterList(
        parameters.filter((one) => one.in === place),
        document.components.schemas,
      );
      return rows && `<h4>${title}</h4>\n${rows}`;
    }),
  );

/** The fields of nested objects of a request follow those of the object that holds them. */
const nestedBodies = (name: string, context: Context): string => {
  const { schemas } = context.document.components;
  const names = JSON.stringify(schemas[name]?.["properties"] ?? {}).matchAll(
    /#\/components\/schemas\/(\w+)/g,
  );
  return [...new Set([...names].map(([, nested]) => nested ?? ""))]
    .filter((nested) => schemas[nested]?.["properties"] !== undefined)
    .map((nested) =>
      lines(
        `<h5>Fields of <code>${escape(nested)}</code></h5>`,
        propertyList(schemas[nested] ?? {}, schemas),
        nestedBodies(nested, context),
      ),
    )
    .join("\n");
};

const bodySection = ({ requestBody }: PlacedOperation, context: Context): string => {
  if (!requestBody) return "";
  const types = Object.keys(requestBody.content);
  const schema = Object.values(requestBody.content)[0]?.schema ?? {};
  const name = referredName(schema);
  return lines(
    "<h4>Request body</h4>",
    `<p>${name ? typeOf(schema) : "A file"}, as ${types.map(code).join(" or ")}. <span class="required">required</span></p>`,
    propertyList(schema, context.document.components.schemas),
    name ? nestedBodies(name, context) : "",
  );
};

const isSuccess = (status: string): boolean => Number(status) < 400;

const headersOf = ({ headers = {} }: Response): string => {
  const names = Object.keys(headers);
  if (names.length === 0) return "";
  const links = names.map((name) => link(`#${headerAnchor(name)}`, code(name)));
  return `<p class="headers">Headers: ${links.join(", ")}</p>`;
};

const bodyTypeOf = ({ content = {} }: Response): string =>
  Object.entries(content)
    .map(([type, { schema }]) => (type === "application/json" ? typeOf(schema) : code(type)))
    .join(" or ");

const successSection = ([status, response]: [string, Response]): string => {
  const body = bodyTypeOf(response);
  return lines(
    `<dt>${code(status)} <span class="type">${body}</span></dt>`,
    `<dd>${inline(response.description)}${headersOf(response)}</dd>`,
  );
};

const codesOf = ({ content = {} }: Response): string[] =>
  Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));

const errorSection = ([status, response]: [string, Response], { base }: Context): string => {
  const links = codesOf(response).map((one) => link(`${base}/reference/errors#${one}`, code(one)));
  return `<dt>${code(status)} ${links.join(", ")}</dt>\n<dd>${inline(response.description)}</dd>`;
};

const responseSections = ({ responses }: PlacedOperation, context: Context): string => {
  const entries = Object.entries(responses).toSorted(([a], [b]) => Number(a) - Number(b));
  const successes = entries.filter(([status]) => isSuccess(status));
  const failures = entries.filter(([status]) => !isSuccess(status));
  return lines(
    `<h4>Responses</h4>\n<dl class="fields">\n${successes.map(successSection).join("\n")}\n</dl>`,
    `<details class="errors"><summary>Errors</summary>\n<dl class="fields">\n${failures.map((one) => errorSection(one, context)).join("\n")}\n</dl>\n</details>`,
  );
};

const exampleBlock = (example: unknown, highlight: Highlight): string =>
  typeof example === "string"
    ? codeBlock(example.trimEnd(), "text", highlight)
    : codeBlock(literal(example, JSON_NOTATION), "json", highlight);

const responseExamples = ({ responses }: PlacedOperation, { highlight }: Context): string =>
  Object.entries(responses)
    .filter(([status]) => isSuccess(status))
    .map(([status, { content = {} }]) => {
      const example = Object.values(content)[0]?.example;
      return example === undefined
        ? ""
        : `<figure class="code">\n<figcaption>Response ${code(status)}</figcaption>\n${exampleBlock(example, highlight)}\n</figure>`;
    })
    .filter((figure) => figure !== "")
    .join("\n");

const samples = (operation: PlacedOperation, { highlight }: Context): string =>
  operation["x-codeSamples"]
    .map(
      ({ lang, label, source }) =>
        `<figure class="code sample ${lang}">\n<figcaption>${escape(label)}</figcaption>\n${codeBlock(source, lang, highlight)}\n</figure>`,
    )
    .join("\n");

const operationArticle = (operation: PlacedOperation, context: Context): string =>
  `<section class="operation" id="${operation.operationId}">
<div class="prose">
${sectionHeading(operation.operationId, operation.summary)}
${lines(
  endpoint(operation),
  paragraphs(operation.description),
  parameterSections(operation, context),
  bodySection(operation, context),
  responseSections(operation, context),
)}
</div>
<div class="examples">
${lines(samples(operation, context), responseExamples(operation, context))}
</div>
</section>`;

const introduction = ({ document: { info }, files }: Context): string => {
  const forms = Object.entries(files).map(([name, href]) => link(href, escape(name)));
  return lines(
    `<h1>${escape(info.title)}</h1>`,
    paragraphs(info.description),
    forms.length > 0
      ? `<p>Version ${escape(info.version)}. The same document as ${forms.join(", ")}.</p>`
      : "",
  );
};

const authentication = ({ highlight }: Context): string =>
  lines(
    partHeading("authentication", "Authentication"),
    "<p>Send an API key with every request, in the header <code>Authorization</code>. Operations that require no key say so in their description. The examples read the key from the environment variable <code>API_KEY</code>.</p>",
    `<figure class="code">${codeBlock("Authorization: Bearer <API_KEY>", "http", highlight)}</figure>`,
    "<p>The first start writes the first key to the file <code>admin.key</code> in the data directory. To create other keys, run <code>adoption-store keys create</code>.</p>",
  );

const baseAddress = ({ document, apiAddress }: Context): string => {
  const others = document.servers
    .slice(1)
    .map(({ url, description }) => ` ${escape(description)}: ${code(url)}.`);
  return lines(
    partHeading("base-address", "Base address"),
    `<p>All paths start at ${code(apiAddress)}.${others.join("")} Requests and responses are JSON, unless an operation says otherwise.</p>`,
  );
};

const errors = ({ base }: Context): string =>
  lines(
    partHeading("errors", "Errors"),
    `<p>Every error has the same body, ${link(`#${schemaAnchor("Error")}`, "Error")}, with the fields <code>code</code>, <code>message</code> and <code>status</code>. ${link(`${base}/reference/errors`, "The list of errors")} explains each code and its remedy.</p>`,
  );

const titleOf = (tag: string): string => `${tag.slice(0, 1).toUpperCase()}${tag.slice(1)}`;

const tagSection = ({ name, description, operations }: TagWithOperations, context: Context): string =>
  lines(
    partHeading(`tag-${name}`, titleOf(name)),
    paragraphs(description),
    ...operations.map((operation) => operationArticle(operation, context)),
  );

const schemaSections = ({ document: { components } }: Context): string =>
  lines(
    partHeading("schemas", "Objects"),
    ...Object.entries(components.schemas).map(([name, schema]) =>
      lines(
        `<section class="schema" id="${schemaAnchor(name)}">`,
        sectionHeading(schemaAnchor(name), name),
        paragraphs(schema["description"]),
        schema["properties"] ? propertyList(schema, components.schemas) : valueOf(schema, components.schemas),
        "</section>",
      ),
    ),
  );

const valueOf = (schema: Json, schemas: Schemas): string =>
  `<p><span class="type">${typeOf(schema)}</span></p>${constraintsOf(schema, schemas)}`;

const headerSection = ({ document: { components } }: Context): string =>
  lines(
    partHeading("headers", "Response headers"),
    '<dl class="fields">',
    ...Object.entries(components.headers).map(
      ([name, { description, schema }]) =>
        `<dt id="${headerAnchor(name)}">${code(name)}</dt>\n<dd>${inline(description)}${constraintsOf(schema, {})}</dd>`,
    ),
    "</dl>",
  );

const navigationOf = (tags: readonly TagWithOperations[]) => [
  {
    title: "Start",
    links: [
      { anchor: "authentication", text: "Authentication" },
      { anchor: "base-address", text: "Base address" },
      { anchor: "errors", text: "Errors" },
    ],
  },
  ...tags.map(({ name, operations }) => ({
    title: titleOf(name),
    links: operations.map(({ operationId, summary }) => ({ anchor: operationId, text: summary })),
  })),
  {
    title: "Types",
    links: [
      { anchor: "schemas", text: "Objects" },
      { anchor: "headers", text: "Response headers" },
    ],
  },
];

/** The API reference of an OpenAPI document as parts of a page. A pure function: it reads no file and sends no request. */
export const referencePage = (document: Document, options: Omit<Context, "document">) => {
  const context: Context = { document, ...options };
  const tags = operationsByTag(document);
  return {
    /** Groups of links within the page. */
    navigation: navigationOf(tags),
    /** The content of `main`. */
    html: lines(
      introduction(context),
      languageChoice(),
      authentication(context),
      baseAddress(context),
      errors(context),
      ...tags.map((tag) => tagSection(tag, context)),
      schemaSections(context),
      headerSection(context),
    ),
  };
};

export type ReferencePage = ReturnType<typeof referencePage>;
