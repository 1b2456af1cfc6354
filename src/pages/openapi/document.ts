import type { Elysia } from "elysia";
import { ErrorBody } from "../../http/schemas.ts";
import { HEADERS } from "./headers.ts";
import { UPLOAD_FORM, describeOperation } from "./describe-operation.ts";
import { type Json, mapValues, allowMoreFields, usedSchemas, namedSchemasIn } from "./schemas.ts";
import { sampleRequest, samplesOf } from "./samples.ts";
import { type Addresses, type DocumentName, type ServerForm, sections } from "./sections.ts";

interface Section {
  info: Json;
  servers: Json[];
  tags: Json[];
  tagGroups?: Json[];
  /** The absolute address that the code samples send requests to. */
  sampleBase: string;
  /** The path as this document shows it; undefined if the document omits it. */
  pathOf(path: string): string | undefined;
}

/** The operations of every path, each with its code samples. */
const withSamples = (paths: Json, base: string, schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      mapValues(methods as Json, (operation, method) => ({
        ...(operation as Json),
        "x-codeSamples": samplesOf(sampleRequest(base, path, method, operation as Json, schemas)),
      })),
    ]),
  );

/**
 * Makes one OpenAPI 3.1 document from what @elysiajs/swagger generates for all routes.
 * @param all the schemas with a name
 */
export const openapi = (
  raw: Json,
  all: Json,
  { info, servers, tags, tagGroups, sampleBase, pathOf }: Section,
): Json => {
  const paths: Json = {};
  for (const [path, operations] of Object.entries(raw["paths"] as Json)) {
    const name = pathOf(path);
    if (name !== undefined) paths[name] = mapValues(operations as Json, describeOperation);
  }
  const used = usedSchemas(paths, all);
  const inRequests = usedSchemas(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods as Json).map((one) => (one as Json)["requestBody"]),
    ),
    all,
  );
  const headers = new Set(JSON.stringify(paths).match(/(?<=#\/components\/headers\/)[\w-]+/g));
  return {
    openapi: "3.1.0",
    info,
    servers,
    tags,
    ...(tagGroups && { "x-tagGroups": tagGroups }),
    paths: withSamples(paths, sampleBase, all),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "Send the API key in the header `Authorization: Bearer <API_KEY>`.",
        },
      },
      headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => headers.has(name))),
      schemas: Object.fromEntries(
        Object.entries(all)
          .filter(([name]) => used.has(name))
          .map(([name, schema]) => [name, inRequests.has(name) ? schema : allowMoreFields(schema)]),
      ),
    },
  };
};

/** The OpenAPI document of the store or of the platform, for these addresses. */
export type Documents = (name: DocumentName, addresses: Addresses, form?: ServerForm) => object;

type App = Elysia<any, any, any, any, any, any, any>;

/** The schemas with a name in all routes except hidden ones. */
const namedSchemas = ({ routes }: App): Json => {
  const hooks = routes.map((route) => route.hooks).filter(({ detail }) => !detail?.hide);
  // Bodies come first: a parameter may describe a named schema in its own way.
  const bodies = hooks.map(({ body, response }) => [body, response]);
  const parameters = hooks.map(({ query, params, headers }) => [query, params, headers]);
  return namedSchemasIn([ErrorBody, UPLOAD_FORM, bodies, parameters]);
};

/** Generates the documents from all routes of an app except hidden ones. */
export const generateDocuments = async (app: App): Promise<Documents> => {
  // Imported for the first document, because loading it slows down the start. The plugin itself would load the themes of its page.
  const { filterPaths, registerSchemaPath } = await import("@elysiajs/swagger/utils");
  const schema = {};
  for (const { method, path, hooks: hook } of app.routes)
    if (!hook.detail?.hide) registerSchemaPath({ schema, path, method, hook, models: {} });
  const paths = filterPaths(schema, { excludeStaticFile: false, exclude: [] });
  // A copy in which schemas are plain JSON.
  const raw = JSON.parse(JSON.stringify({ paths })) as Json;
  const named = namedSchemas(app);
  return (name, addresses, form = "addresses") => openapi(raw, named, sections(addresses, form)[name]);
};
