import { Elysia, type TSchema } from "elysia";
import { openapi } from "./document.ts";
import { type Addresses, type DocumentName, type ServerForm, sections } from "./sections.ts";

/** The OpenAPI document of the store or of the platform, for these addresses. */
export type Documents = (name: DocumentName, addresses: Addresses, form?: ServerForm) => object;

/** Generates the documents from all routes of an app except hidden ones. */
export const generateDocuments = async (
  app: Elysia<any, any, any, any, any, any, any>,
): Promise<Documents> => {
  // Imported for the first document, because loading takes 10 ms of the start.
  const { swagger } = await import("@elysiajs/swagger");
  // The plugin describes the app that uses it, so give it one with the same routes and empty handlers.
  const { definitions } = app as unknown as { definitions: { type: Record<string, TSchema> } };
  const copy = new Elysia().model(definitions.type);
  for (const { method, path, hooks } of app.routes) {
    const { query, params, headers, body, response, detail } = hooks;
    copy.route(method, path, () => {}, { query, params, headers, body, response, detail });
  }
  copy.use(swagger({ path: "/raw", specPath: "/raw.json", excludeStaticFile: false }));
  const response = await copy.handle(new Request("http://localhost/raw.json"));
  const raw = (await response.json()) as Record<string, unknown>;
  return (name, addresses, form = "addresses") => openapi(raw, sections(addresses, form)[name]);
};
