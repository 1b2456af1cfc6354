import { LANGUAGES, JSON_NOTATION, literal } from "../samples/samples.ts";
import { referredName } from "../schemas.ts";
import { escape, code, inline, lines, link, paragraphs, sectionHeading, partHeading } from "./markup.ts";
import {
  type Document,
  type Parameter,
  type PlacedOperation,
  type Response,
  type TagWithOperations,
  operationsByTag,
} from "./document.ts";
import { parameterList, propertyList, typeOf, constraintsOf, schemaAnchor } from "./fields.ts";

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

interface Context {
  document: Document;
  /** The address of the manual: `/manual`. */
  base: string;
  highlight: Highlight;
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

/** A group of links within the page. */
interface NavigationGroup {
  title: string;
  links: { anchor: string; text: string }[];
}

/** The API reference as the parts of a page. */
export interface ReferencePage {
  /** The content of `main`. */
  html: string;
  navigation: NavigationGroup[];
}

/** The content of a page in addition to its document. */
interface ReferenceOptions {
  /** The address of the manual: `/manual`. */
  base: string;
  highlight: Highlight;
  /** The absolute address that paths are relative to. */
  apiAddress: string;
  /** The same document in other forms, by their names: `{ JSON: "/openapi.json" }`. */
  files: Readonly<Record<string, string>>;
}

const introduction = ({ info }: Document, { files }: ReferenceOptions): string => {
  const forms = Object.entries(files).map(([name, href]) => link(href, escape(name)));
  return lines(
    `<h1>${escape(info.title)}</h1>`,
    paragraphs(info.description),
    forms.length > 0
      ? `<p>Version ${escape(info.version)}. The same document as ${forms.join(", ")}.</p>`
      : "",
  );
};

const authentication = ({ highlight }: ReferenceOptions): string =>
  lines(
    partHeading("authentication", "Authentication"),
    "<p>Send an API key with every request, in the header <code>Authorization</code>. Operations that require no key document this. The examples read the key from the environment variable <code>API_KEY</code>.</p>",
    `<figure class="code">${codeBlock("Authorization: Bearer <API_KEY>", "http", highlight)}</figure>`,
    "<p>The first start writes the first key to the file <code>admin.key</code> in the data directory. To create other keys, run <code>adoption-store keys create</code>.</p>",
  );

const baseAddress = ({ servers }: Document, { apiAddress }: ReferenceOptions): string => {
  const others = servers.slice(1).map(({ url, description }) => ` ${escape(description)}: ${code(url)}.`);
  return lines(
    partHeading("base-address", "Base address"),
    `<p>All paths start at ${code(apiAddress)}.${others.join("")} Requests and responses are JSON, unless an operation says otherwise.</p>`,
  );
};

const errors = ({ base }: ReferenceOptions): string =>
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

const valueOf = (
  schema: Document["components"]["schemas"][string],
  schemas: Document["components"]["schemas"],
) => `<p><span class="type">${typeOf(schema)}</span></p>${constraintsOf(schema, schemas)}`;

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

const navigationOf = (document: Document): NavigationGroup[] => [
  {
    title: "Start",
    links: [
      ["authentication", "Authentication"],
      ["base-address", "Base address"],
      ["errors", "Errors"],
    ].map(([anchor = "", text = ""]) => ({ anchor, text })),
  },
  ...operationsByTag(document).map(({ name, operations }) => ({
    title: titleOf(name),
    links: operations.map(({ operationId, summary }) => ({
      anchor: operationId,
      text: summary,
    })),
  })),
  {
    title: "Types",
    links: [
      { anchor: "schemas", text: "Objects" },
      { anchor: "headers", text: "Response headers" },
    ],
  },
];

/** The API reference of an OpenAPI document. A pure function: it reads no file and asks no server. */
export const referencePage = (document: Document, options: ReferenceOptions): ReferencePage => {
  const context: Context = { document, base: options.base, highlight: options.highlight };
  return {
    navigation: navigationOf(document),
    html: lines(
      introduction(document, options),
      languageChoice(),
      authentication(options),
      baseAddress(document, options),
      errors(options),
      ...operationsByTag(document).map((tag) => tagSection(tag, context)),
      schemaSections(context),
      headerSection(context),
    ),
  };
};
