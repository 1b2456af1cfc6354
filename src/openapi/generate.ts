import { Elysia } from "elysia";
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
  // Imported for the first document, because loading takes 10 ms of the start.
  const { swagger } = await import("@elysiajs/swagger");
  // The plugin describes the app that uses it, so give it one with the same routes and empty handlers.
  const copy = new Elysia();
  for (const { method, path, hooks } of app.routes) {
    const { query, params, headers, body, response, detail } = hooks;
    copy.route(method, path, () => {}, { query, params, headers, body, response, detail });
  }
  copy.use(swagger({ path: "/raw", specPath: "/raw.json", excludeStaticFile: false }));
  const response = await copy.handle(new Request("http://localhost/raw.json"));
  const raw = (await response.json()) as Json;
  const named = namedSchemas(app);
  return (name, addresses, form = "addresses") => openapi(raw, named, sections(addresses, form)[name]);
};
