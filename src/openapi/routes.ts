import { Elysia, type TSchema, t } from "elysia";
import swaggerCss from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerBundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import swaggerPreset from "swagger-ui-dist/swagger-ui-standalone-preset.js" with { type: "file" };
import swaggerPackage from "swagger-ui-dist/package.json" with { type: "json" };
import { acceptedCodings } from "../lib/accept.ts";
import { Fault } from "../lib/errors.ts";
import { openapi } from "./document.ts";
import { operation } from "../http/operation.ts";
import { staticText } from "../http/static-text.ts";
import { NoQuery } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import type { RequestHeaders } from "../http/etag.ts";

const API_VERSION = "1.0.0";
const LICENSE = { name: "MIT", identifier: "MIT" };
const CONTACT = { name: "The operator of this service" };

export const DOCUMENTS = ["store", "platform"] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

export interface Addresses {
  /** Origin of production; "" makes the documents point to wherever they were fetched from. */
  baseUrl: string;
  /** "" if there is no staging environment. */
  stagingBaseUrl: string;
}

/** How a document names its servers: by addresses, or by the specified variables, with the addresses as defaults. */
export type ServerForm = "addresses" | "variables";

/** The OpenAPI document of the store or of the platform, for these addresses. */
export type Documents = (name: DocumentName, addresses: Addresses, form?: ServerForm) => object;

/**
 * Without BASE_URL an address is relative: clients resolve it against the address of the document. The Host header would
 * add nothing, and an attacker could put another one into a cached document.
 */
const SERVERS = {
  addresses: (_variable: string, description: string, address: string) => ({ url: address, description }),
  variables: (variable: string, description: string, address: string) => ({
    url: `{${variable}}`,
    description,
    variables: {
      [variable]: { default: address, description: `Address of ${description.toLowerCase()}.` },
    },
  }),
};

const servers = ({ baseUrl, stagingBaseUrl }: Addresses, path: string, form: ServerForm) => [
  SERVERS[form]("base_url", "Production", `${baseUrl}${path}` || "/"),
  ...(stagingBaseUrl === ""
    ? []
    : [SERVERS[form]("staging_base_url", "Staging", `${stagingBaseUrl}${path}`)]),
];

const sections = (addresses: Addresses, form: ServerForm) => ({
  store: {
    info: {
      title: "Animal Adoption Store API",
      version: API_VERSION,
      license: LICENSE,
      contact: CONTACT,
      description:
        "Animals offered for adoption: list, add and fetch them. Every operation needs an API key. What is not marked `x-stability: beta` is stable.",
    },
    servers: servers(addresses, "/v1", form),
    tags: [
      { name: "store", description: "Adoptions." },
      { name: "animals", description: "Animals offered for adoption." },
      { name: "categories", description: "What animals are grouped by." },
    ],
    tagGroups: [
      { name: "Store", tags: ["store"] },
      { name: "Pets", tags: ["animals", "categories"] },
    ],
    pathOf: (path: string) => (path.startsWith("/v1/") ? path.slice("/v1".length) : undefined),
  },
  platform: {
    info: {
      title: "Adoption Store Platform API",
      version: API_VERSION,
      license: LICENSE,
      contact: CONTACT,
      description:
        "Documentation projects with their deploys and custom domains, and what an operator of the service needs: API keys, health and metrics. All of it is beta.",
    },
    servers: servers(addresses, "", form),
    tags: [
      { name: "projects", description: "Documentation projects." },
      { name: "deploys", description: "What projects publish." },
      { name: "domains", description: "Custom domains of projects." },
      { name: "keys", description: "API keys." },
      { name: "operation", description: "Health and metrics." },
    ],
    pathOf: (path: string) => (path.startsWith("/v1/") || path.startsWith("/docs") ? undefined : path),
  },
});

/** Reads all routes of an app; whatever is hidden appears in no document. */
export const documentsOf = async (app: Elysia<any, any, any, any, any, any, any>): Promise<Documents> => {
  // Loaded when a document is first asked for: 10 ms that a start need not wait for.
  const { swagger } = await import("@elysiajs/swagger");
  // The plugin describes the app that it is put into: one with the same routes and nothing behind them.
  const { definitions } = app as unknown as { definitions: { type: Record<string, TSchema> } };
  const described = new Elysia().model(definitions.type);
  for (const { method, path, hooks } of app.routes) {
    const { query, params, headers, body, response, detail } = hooks;
    described.route(method, path, () => {}, { query, params, headers, body, response, detail });
  }
  described.use(swagger({ path: "/raw", specPath: "/raw.json", excludeStaticFile: false }));
  const answer = await described.handle(new Request("http://localhost/raw.json"));
  const raw = (await answer.json()) as Record<string, unknown>;
  return (name, addresses, form = "addresses") => openapi(raw, sections(addresses, form)[name]);
};

/** Embedded files of the Swagger page, under a path that changes with their version. */
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
    <div id="swagger-ui"></div>
    <script src="${ASSET_PATH}/swagger-ui-bundle.js"></script>
    <script src="${ASSET_PATH}/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;

/** Mends what cannot be read: names of headers in the dark, the badge of a deprecated operation in the light. */
const PAGE_CSS = `body { margin: 0; }
html.dark-mode .swagger-ui .headers td { color: inherit; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #6b7280; color: #fff; }
`;

const PAGE_JS = `window.ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  urls: [
    { url: "/openapi.json", name: "Store" },
    { url: "/platform/openapi.json", name: "Platform (beta)" },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: "StandaloneLayout",
  deepLinking: true,
  displayRequestDuration: true,
  // The logo is an SVG with a style of its own, which the Content-Security-Policy refuses.
  plugins: [() => ({ components: { Logo: () => null } })],
  validatorUrl: null,
});
`;

/** Only this host's own files, and calls to the addresses that the documents name. */
const contentSecurityPolicy = ({ baseUrl, stagingBaseUrl }: Addresses): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", baseUrl, stagingBaseUrl].filter((one) => one !== "").join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const text = (body: string, type: string, headers: Record<string, string> = {}) =>
  new Response(body, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache", ...headers },
  });

/** Serves an embedded file, compressed once for whoever takes gzip. */
const embedded = () => {
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const gzipOf = (name: string, file: string) => {
    let made = compressed.get(name);
    if (!made)
      compressed.set(
        name,
        (made = Bun.file(file)
          .bytes()
          .then((bytes) => Bun.gzipSync(bytes))),
      );
    return made;
  };
  return async (name: string, acceptEncoding: string): Promise<Response> => {
    if (!Object.hasOwn(ASSETS, name)) throw new Fault("not_found");
    const { file, type } = ASSETS[name as keyof typeof ASSETS];
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    };
    if (!acceptedCodings(acceptEncoding).includes("gzip")) return new Response(Bun.file(file), { headers });
    return new Response(await gzipOf(name, file), { headers: { ...headers, "content-encoding": "gzip" } });
  };
};

const documentRoute = (operationId: string, summary: string) =>
  operation({
    operationId,
    summary,
    description: "With the server's own addresses filled in. No key is needed.",
    tags: ["operation"],
    responses: {
      200: {
        description: "The OpenAPI 3.1 document.",
        headers: ["ETag", "Content-Encoding"],
        example: {
          openapi: "3.1.0",
          info: { title: "Animal Adoption Store API", version: API_VERSION },
          paths: {},
        },
      },
    },
    conditions: ["If-None-Match"],
  });

/** The fields that every OpenAPI document has. */
const OpenApiDocument = t.Object(
  {
    openapi: t.String({ description: "The version of OpenAPI.", examples: ["3.1.0"] }),
    info: t.Object(
      {},
      { additionalProperties: true, description: "Title, version and description of the API." },
    ),
    paths: t.Object({}, { additionalProperties: true, description: "The operations, by path." }),
  },
  { $id: "OpenApiDocument", additionalProperties: true, description: "An OpenAPI document." },
);

/** The documents and the Swagger page; none of it needs a key. */
export const docsRoutes = ({
  documents,
  addresses,
  macros,
}: {
  documents: () => Promise<Documents>;
  addresses: Addresses;
  macros: Macros;
}) => {
  const asset = embedded();
  const written = new Map<DocumentName, ReturnType<typeof staticText>>();
  const document = async (name: DocumentName, headers: RequestHeaders) => {
    const known = written.get(name);
    if (known) return known(headers);
    const text = JSON.stringify((await documents())(name, addresses));
    const made = staticText(text, "application/json", { "cache-control": "no-cache" });
    written.set(name, made);
    return made(headers);
  };
  const page = { public: true, query: NoQuery, detail: { hide: true } } as const;
  return new Elysia({ name: "docs", normalize: false })
    .use(macros)
    .model({ OpenApiDocument })
    .get("/openapi.json", ({ headers }) => document("store", headers), {
      public: true,
      query: NoQuery,
      response: { 200: OpenApiDocument },
      detail: documentRoute("getStoreDocument", "The store's OpenAPI document"),
    })
    .get("/platform/openapi.json", ({ headers }) => document("platform", headers), {
      public: true,
      query: NoQuery,
      response: { 200: OpenApiDocument },
      detail: documentRoute("getPlatformDocument", "This OpenAPI document"),
    })
    .get("/", () => new Response(null, { status: 302, headers: { location: "/docs" } }), page)
    .get(
      "/docs",
      () => text(PAGE, "text/html", { "content-security-policy": contentSecurityPolicy(addresses) }),
      page,
    )
    .get("/docs/page.css", () => text(PAGE_CSS, "text/css"), page)
    .get("/docs/page.js", () => text(PAGE_JS, "text/javascript"), page)
    .get(
      `${ASSET_PATH}/:name`,
      ({ params, headers }) => asset(params.name, headers["accept-encoding"] ?? ""),
      {
        ...page,
        params: t.Object({ name: t.String() }),
      },
    );
};
