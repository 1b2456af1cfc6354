import { JSON_NOTATION, literal } from "../samples/literal.ts";
import { type Highlight, codeBlock } from "./code-block.ts";
import {
  type Document,
  type Parameter,
  type PlacedOperation,
  type Response,
  referredName,
} from "./document.ts";
import { parameterList, propertyList, typeOf } from "./fields.ts";
import { code, escape, inline, lines, link, paragraphs, sectionHeading } from "./markup.ts";

export interface Context {
  document: Document;
  /** The address of the manual: `/manual`. */
  base: string;
  highlight: Highlight;
}

export const headerAnchor = (name: string): string => `header-${name.toLowerCase()}`;

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

export const operationArticle = (operation: PlacedOperation, context: Context): string =>
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
