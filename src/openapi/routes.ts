import { Elysia, t } from "elysia";
import type { RequestHeaders } from "../http/etag.ts";
import type { Macros } from "../http/macros.ts";
import { operation } from "../http/operation.ts";
import { NoQuery } from "../http/schemas.ts";
import { staticText } from "../http/static-text.ts";
import { FORMATS, type FormatName, documentPath } from "./formats.ts";
import type { Documents } from "./generate.ts";
import { API_VERSION, type Addresses, DOCUMENTS, type DocumentName, absoluteBase } from "./sections.ts";
import {
  ASSET_PATH,
  PAGE,
  PAGE_CSS,
  PAGE_JS,
  assetResponses,
  contentSecurityPolicy,
} from "./swagger-page.ts";

const text = (body: string, type: string, headers: Record<string, string> = {}) =>
  new Response(body, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache", ...headers },
  });

const documentRoute = (operationId: string, summary: string) =>
  operation({
    operationId,
    summary,
    description: "Returns the OpenAPI document with the addresses of this server. No API key is required.",
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
    .get("/openapi.json", ({ headers }) => document("store", "json", headers), {
      public: true,
      query: NoQuery,
      response: { 200: OpenApiDocument },
      detail: documentRoute("getStoreDocument", "Get the OpenAPI document of the store"),
    })
    .get("/platform/openapi.json", ({ headers }) => document("platform", "json", headers), {
      public: true,
      query: NoQuery,
      response: { 200: OpenApiDocument },
      detail: documentRoute("getPlatformDocument", "Get the OpenAPI document of the platform"),
    })
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
    );
};
