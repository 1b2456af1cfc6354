import type { Json } from "./json.ts";
import type { DocumentName } from "./sections.ts";

interface Document {
  servers: { url: string }[];
  info: { title: string; description: string; version: string };
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json> };
}

const MAX_CELL = 300;

/** A cell of a table: on one line, with escaped bars. */
const cell = (text: unknown): string =>
  ((text as string | undefined) ?? "").replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, MAX_CELL);

const table = (head: string[], rows: unknown[][]): string =>
  rows.length === 0
    ? ""
    : [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const code = (text: string): string => `\`${text}\``;

const nameOf = (schema: Json): string => (schema["$ref"] as string | undefined)?.split("/").at(-1) ?? "";

/** The type of a value in a word or two; a schema with a name becomes a link. */
const typeOf = (schema: Json = {}): string => {
  const name = nameOf(schema);
  if (name) return `[${name}](#${name.toLowerCase()})`;
  if (Array.isArray(schema["enum"])) return schema["enum"].map((word) => code(String(word))).join(", ");
  if (schema["type"] === "array") return `list of ${typeOf(schema["items"] as Json)}`;
  return [schema["type"], schema["format"]].filter(Boolean).join(", ");
};

const parametersOf = (parameters: Json[]): string =>
  table(
    ["parameter", "in", "type", "meaning"],
    parameters.map(({ name, in: place, schema, description }) => [
      code(String(name)),
      place,
      typeOf(schema as Json),
      description,
    ]),
  );

const schemaIn = (content: unknown): string =>
  Object.entries((content ?? {}) as Record<string, { schema: Json }>)
    .map(([type, { schema }]) => (type === "application/json" ? typeOf(schema) : code(type)))
    .join(" or ");

const responsesOf = (responses: Record<string, Json>): string =>
  table(
    ["status", "body", "meaning"],
    Object.entries(responses).map(([status, { content, description }]) => [
      status,
      schemaIn(content),
      description,
    ]),
  );

const operationSection = (path: string, method: string, operation: Json): string => {
  const { summary, description, deprecated, parameters, requestBody, responses } = operation;
  const body = schemaIn((requestBody as Json | undefined)?.["content"]);
  return [
    `## ${String(summary)}`,
    `\`${method.toUpperCase()} ${path}\`${deprecated ? " (deprecated)" : ""}`,
    String(description),
    parametersOf((parameters as Json[] | undefined) ?? []),
    body && `Body: ${body}`,
    responsesOf(responses as Record<string, Json>),
  ]
    .filter(Boolean)
    .join("\n\n");
};

const schemaSection = (name: string, schema: Json): string => {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const required = (schema["required"] ?? []) as string[];
  const rows = properties.map(([field, value]) => [
    code(field),
    typeOf(value),
    required.includes(field) ? "yes" : "no",
    value["description"],
  ]);
  return [
    `## ${name}`,
    (schema["description"] as string | undefined) ?? "",
    rows.length > 0 ? table(["field", "type", "required", "meaning"], rows) : typeOf(schema),
  ].join("\n\n");
};

/** An OpenAPI document in Markdown. */
const markdownOf = (document: object): string => {
  const { info, servers, paths, components } = document as Document;
  const base = new URL(servers[0]?.url ?? "/", "http://localhost").pathname.replace(/\/$/, "");
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationSection(base + path, method, operation)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema));
  return [`# ${info.title}`, `Version ${info.version}. ${info.description}`, ...operations, ...schemas].join(
    "\n\n",
  );
};

const STYLE = `:root { color-scheme: light dark; font: 100%/1.6 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem 4rem }
nav { display: flex; gap: 1.5rem; padding: 1rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
h2 { margin-top: 3rem }
code { font: 0.9em ui-monospace, monospace }
a { color: light-dark(#0b57d0, #8ab4f8) }
.scroll { overflow-x: auto; margin: 1.5rem 0 }
table { border-collapse: collapse; width: 100% }
th, td { padding: 0.4rem 0.8rem 0.4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
`;

const htmlPage = (markdown: string): string => {
  const html = Bun.markdown.html(markdown, { tables: true, headings: { ids: true } });
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? "";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<nav><a href="/">Start</a> <a href="/store">Store</a> <a href="/platform">Platform</a></nav>
<main>
${html.replaceAll("<table>", '<div class="scroll"><table>').replaceAll("</table>", "</table></div>")}
</main>
</html>
`;
};

const START = `# Adoption store

The API reference of this service, which is also the first project that it publishes.

- [The store](/store): animals offered for adoption ([OpenAPI](/store.json))
- [The platform](/platform): documentation projects, deploys, custom domains and API keys ([OpenAPI](/platform.json))

Deploy your own site in its place: \`adoption-store deploy DIR --project docs\`.
`;

const NOT_FOUND = "# Not found\n\nThere is no page at this address. [Go to the start page](/).\n";

/** The files of a site that documents the service, by path. */
export const referenceSite = (documentOf: (name: DocumentName) => object): Map<string, string> => {
  const [store, platform] = [documentOf("store"), documentOf("platform")];
  return new Map([
    ["index.html", htmlPage(START)],
    ["store.html", htmlPage(markdownOf(store))],
    ["platform.html", htmlPage(markdownOf(platform))],
    ["404.html", htmlPage(NOT_FOUND)],
    ["style.css", STYLE],
    ["store.json", JSON.stringify(store, null, 2)],
    ["platform.json", JSON.stringify(platform, null, 2)],
  ]);
};
