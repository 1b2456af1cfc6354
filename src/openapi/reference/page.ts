import { type Document, type TagWithOperations, operationsByTag } from "./document.ts";
import { constraintsOf, propertyList, schemaAnchor, typeOf } from "./fields.ts";
import { type Highlight, codeBlock, languageChoice } from "./code-block.ts";
import { code, escape, inline, lines, link, paragraphs, partHeading, sectionHeading } from "./markup.ts";
import { type Context, headerAnchor, operationArticle } from "./operation.ts";

/** A group of links within the page. */
export interface NavigationGroup {
  title: string;
  links: { anchor: string; text: string }[];
}

/** The API reference as the parts of a page. */
export interface ReferencePage {
  /** The content of `main`. */
  html: string;
  navigation: NavigationGroup[];
}

/** What a page shows besides its document. */
export interface ReferenceOptions {
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
    "<p>Send an API key with every request, in the header <code>Authorization</code>. An operation that needs no key says so. The examples read the key from the environment variable <code>API_KEY</code>.</p>",
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
    `<p>Every error has the same body, ${link(`#${schemaAnchor("Error")}`, "Error")}, with the fields <code>code</code>, <code>message</code> and <code>status</code>. ${link(`${base}/reference/errors`, "The list of errors")} says what each code means and what to do.</p>`,
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
