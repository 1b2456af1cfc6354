import type { Elysia } from "elysia";
import { ErrorBody } from "../http/schemas.ts";
import { openapi } from "./document.ts";
import type { Json } from "./json.ts";
import { namedSchemasIn } from "./schemas.ts";
import { type Addresses, type DocumentName, type ServerForm, sections } from "./sections.ts";

/** The OpenAPI document of the store or of the platform, for these addresses. */
export type Documents = (name: DocumentName, addresses: Addresses, form?: ServerForm) => object;

type App = Elysia<any, any, any, any, any, any, any>;

/** The schemas with a name in all routes except hidden ones. */
const namedSchemas = ({ routes }: App): Json => {
  const hooks = routes.map((route) => route.hooks).filter(({ detail }) => !detail?.hide);
  // Bodies come first: a parameter may describe a named schema in its own way.
  const bodies = hooks.map(({ body, response }) => [body, response]);
  const parameters = hooks.map(({ query, params, headers }) => [query, params, headers]);
  return namedSchemasIn([ErrorBody, bodies, parameters]);
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
