import swaggerCss from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerBundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import swaggerPreset from "swagger-ui-dist/swagger-ui-standalone-preset.js" with { type: "file" };
import swaggerPackage from "swagger-ui-dist/package.json" with { type: "json" };
import { Elysia, t } from "elysia";
import { acceptedCodings } from "../../lib/accept.ts";
import { Fault } from "../../lib/errors.ts";
import { oncePer } from "../../lib/lazy.ts";
import { endpoints } from "../../http/endpoint.ts";
import type { RequestHeaders } from "../../http/etag.ts";
import { PAGE_POLICY } from "../../http/html-page.ts";
import type { Macros } from "../../http/macros.ts";
import { NoQuery } from "../../http/schemas.ts";
import { staticText } from "../../http/static-text.ts";
import { type Addresses, API_VERSION, DOCUMENTS, type DocumentName, absoluteBase } from "./sections.ts";
import { FORMATS, type FormatName, documentPath } from "./formats.ts";
import type { Documents } from "./document.ts";

/** The embedded files of the Swagger page. Their path changes with their version. */
const ASSETS = {
  "swagger-ui.css": { file: swaggerCss, type: "text/css; charset=utf-8" },
  "swagger-ui-bundle.js": { file: swaggerBundle, type: "text/javascript; charset=utf-8" },
  "swagger-ui-standalone-preset.js": { file: swaggerPreset, type: "text/javascript; charset=utf-8" },
} as const;

const ASSET_PATH = `/docs/swagger-ui-${swaggerPackage.version}`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Animal Adoption Store API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${ASSET_PATH}/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <nav class="way-back" aria-label="Manual"><a href="/manual">Back to the manual</a></nav>
    <div id="swagger-ui"></div>
    <script src="${ASSET_PATH}/swagger-ui-bundle.js"></script>
    <script src="${ASSET_PATH}/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;

/** Fixes contrast, and adds the badge of beta operations. */
const PAGE_CSS = `body { margin: 0; }
.way-back { padding: 0.5rem 1.25rem; font: 600 0.9rem/1.5 sans-serif; }
.way-back a { color: #1a5fb4; }
html.dark-mode .way-back a { color: #99c1f1; }
html.dark-mode .swagger-ui .headers td { color: inherit; }
.operation-row { display: flex; align-items: center; gap: 0.5rem; padding-right: 0.5rem; }
.operation-row > .opblock-summary { flex: 1; min-width: 0; }
.beta-badge { font: 600 0.75rem/1.5 sans-serif; padding: 0 0.5rem; border-radius: 1rem; background: #5b21b6; color: #fff; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
.swagger-ui .opblock .opblock-summary-method { color: #000; text-shadow: none; }
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method, html.dark-mode .swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #4b5563; color: #fff; }
html:not(.dark-mode) .swagger-ui .info .title small pre { color: #000; }
`;

const PAGE_JS = `// A relative address is of no use to a reader: resolve it against this page.
const absolute = (url) => new URL(url, location.href).href.replace(/[/]$/, "");
const absoluteServers = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) =>
          update({ ...spec, servers: spec.servers?.map((server) => ({ ...server, url: absolute(server.url) })) }),
      },
    },
  },
});
// A badge for operations that may still change.
const betaBadges = ({ React, specSelectors }) => ({
  wrapComponents: {
    OperationSummary: (Summary) => (props) =>
      React.createElement(
        "div",
        { className: "operation-row" },
        React.createElement(Summary, props),
        specSelectors.specJson().getIn(["paths", props.operationProps.get("path"), props.operationProps.get("method"), "x-stability"]) === "beta" &&
          React.createElement("span", { className: "beta-badge" }, "beta"),
      ),
  },
});
window.ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  urls: [
    { url: "/openapi.json", name: "Store" },
    { url: "/platform/openapi.json", name: "Platform (beta)" },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: "StandaloneLayout",
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  // The logo is an SVG with an inline style, which the Content-Security-Policy blocks.
  plugins: [() => ({ components: { Logo: () => null } }), absoluteServers, betaBadges],
  validatorUrl: null,
});
`;

/** Allows this host's own files, and calls to the addresses in the documents. */
const contentSecurityPolicy = ({ baseUrl, stagingBaseUrl }: Addresses): string =>
  PAGE_POLICY.replace(
    "connect-src 'self'",
    ["connect-src 'self'", baseUrl, stagingBaseUrl].filter((one) => one !== "").join(" "),
  );

/** The first two bytes of every gzip file (RFC 1952 section 2.3.1). */
const GZIP = [0x1f, 0x8b];

/** An embedded file, gzipped. The executable holds it so; in development the file is as the package has it. */
const gzipped = async (file: string): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = await Bun.file(file).bytes();
  return GZIP.every((byte, at) => bytes[at] === byte) ? bytes : Bun.gzipSync(bytes);
};

/** Responds with an embedded file. Each is read once, on first use, and for clients without gzip unpacked once. */
const assetResponses = () => {
  const zipped = oncePer(gzipped);
  const plain = oncePer(async (file: string) => Bun.gunzipSync(await zipped(file)));
  return async (name: string, acceptEncoding: string): Promise<Response> => {
    if (!Object.hasOwn(ASSETS, name)) throw new Fault("not_found");
    const { file, type } = ASSETS[name as keyof typeof ASSETS];
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    };
    const isGzip = acceptedCodings(acceptEncoding).includes("gzip");
    return new Response(await (isGzip ? zipped : plain)(file), {
      headers: isGzip ? { ...headers, "content-encoding": "gzip" } : headers,
    });
  };
};

const text = (body: string, type: string, headers: Record<string, string> = {}) =>
  new Response(body, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache", ...headers },
  });

const OpenApiDocument = t.Object(
  {
    openapi: t.String({ description: "Version of OpenAPI.", examples: ["3.1.0"] }),
    info: t.Object(
      {},
      { additionalProperties: true, description: "Title, version and description of the API." },
    ),
    paths: t.Object({}, { additionalProperties: true, description: "The operations by path." }),
  },
  { $id: "OpenApiDocument", additionalProperties: true, description: "An OpenAPI document." },
);

/** Responds with the documents. Each is written once in each format, on first use. */
const documentResponder = (documents: () => Promise<Documents>, addresses: Addresses) => {
  const responders = new Map<string, ReturnType<typeof staticText>>();
  return async (name: DocumentName, format: FormatName, headers: RequestHeaders): Promise<Response> => {
    const path = documentPath(name, format);
    const cached = responders.get(path);
    if (cached) return cached(headers);
    const { type, write } = FORMATS[format];
    const text = write((await documents())(name, addresses), absoluteBase(name, addresses));
    const respond = staticText(text, type, { "cache-control": "no-cache" });
    responders.set(path, respond);
    return respond(headers);
  };
};

/** The documents as JSON. */
const documentEndpoints = (document: ReturnType<typeof documentResponder>, macros: Macros) => {
  const { add, app } = endpoints({ macros, tag: "operation", scope: "public" });
  const common = {
    description: "Returns the OpenAPI document with the addresses of this server. No API key is required.",
    stability: "stable",
    returns: [
      OpenApiDocument,
      "The OpenAPI 3.1 document.",
      {
        openapi: "3.1.0",
        info: { title: "Animal Adoption Store API", version: API_VERSION },
        paths: {},
      },
    ],
    response: { headers: ["ETag", "Content-Encoding"] },
    conditions: ["If-None-Match"],
  } as const;
  add("GET /openapi.json", {
    id: "getStoreDocument",
    summary: "Get the OpenAPI document of the store",
    ...common,
    run: ({ headers }) => document("store", "json", headers),
  });
  add("GET /platform/openapi.json", {
    id: "getPlatformDocument",
    summary: "Get the OpenAPI document of the platform",
    ...common,
    run: ({ headers }) => document("platform", "json", headers),
  });
  return app;
};

/** The documents and the Swagger page, all without a key. */
export const docsRoutes = ({
  documents,
  addresses,
  macros,
}: {
  documents: () => Promise<Documents>;
  addresses: Addresses;
  macros: Macros;
}) => {
  const assetResponse = assetResponses();
  const document = documentResponder(documents, addresses);
  const page = { public: true, query: NoQuery, detail: { hide: true } } as const;
  const otherFormats = new Elysia({ name: "document-formats", normalize: false }).use(macros);
  for (const name of DOCUMENTS)
    for (const format of ["yaml", "postman"] as const)
      otherFormats.get(
        documentPath(name, format),
        ({ headers }) => document(name, format, headers as RequestHeaders),
        page,
      );
  return new Elysia({ name: "docs", normalize: false })
    .use(macros)
    .use(otherFormats)
    .get(
      "/docs",
      () => text(PAGE, "text/html", { "content-security-policy": contentSecurityPolicy(addresses) }),
      page,
    )
    .get("/docs/page.css", () => text(PAGE_CSS, "text/css"), page)
    .get("/docs/page.js", () => text(PAGE_JS, "text/javascript"), page)
    .get(
      `${ASSET_PATH}/:name`,
      ({ params, headers }) => assetResponse(params.name, headers["accept-encoding"] ?? ""),
      {
        ...page,
        params: t.Object({ name: t.String() }),
      },
    )
    .use(documentEndpoints(document, macros));
};
