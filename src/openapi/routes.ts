import { Elysia, t } from "elysia";
import type { RequestHeaders } from "../http/etag.ts";
import type { Macros } from "../http/macros.ts";
import { operation } from "../http/operation.ts";
import { NoQuery } from "../http/schemas.ts";
import { staticText } from "../http/static-text.ts";
import type { Documents } from "./generate.ts";
import { API_VERSION, type Addresses, type DocumentName } from "./sections.ts";
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
    description: "With the server's own addresses filled in. No API key is required.",
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
    openapi: t.String({ description: "The version of OpenAPI.", examples: ["3.1.0"] }),
    info: t.Object(
      {},
      { additionalProperties: true, description: "Title, version and description of the API." },
    ),
    paths: t.Object({}, { additionalProperties: true, description: "The operations, by path." }),
  },
  { $id: "OpenApiDocument", additionalProperties: true, description: "An OpenAPI document." },
);

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
  const responders = new Map<DocumentName, ReturnType<typeof staticText>>();
  const document = async (name: DocumentName, headers: RequestHeaders) => {
    const cached = responders.get(name);
    if (cached) return cached(headers);
    const text = JSON.stringify((await documents())(name, addresses));
    const respond = staticText(text, "application/json", { "cache-control": "no-cache" });
    responders.set(name, respond);
    return respond(headers);
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
