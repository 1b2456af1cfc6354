import type { Config } from "../config/config.ts";
import { openDatabase } from "../db/open.ts";
import { logger } from "../lib/log.ts";
import { type Documents, generateDocuments } from "../openapi/document.ts";
import { createRequestHandlers, noListeners } from "./request-handlers.ts";
import { systemRuntime } from "./runtime.ts";
import { createServices } from "./services.ts";

/** The OpenAPI documents of this program. They describe an application over an empty database. */
export const programDocuments = async (config: Config): Promise<Documents> => {
  const database = openDatabase(":memory:");
  try {
    const log = logger({ level: "silent", format: "json", colour: false });
    const runtime = { ...systemRuntime, log };
    const services = createServices(config, database, runtime);
    const { app } = createRequestHandlers(config, database, services, runtime, noListeners(config));
    return await generateDocuments(app);
  } finally {
    await database.close();
  }
};
