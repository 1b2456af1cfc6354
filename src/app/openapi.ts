import type { Config } from "../config/config.ts";
import { openDatabase } from "../db/open.ts";
import { logger } from "../lib/log.ts";
import { type Documents, documentsOf } from "../openapi/routes.ts";
import { handlers, withoutListeners } from "./request-handlers.ts";
import { systemRuntime } from "./runtime.ts";
import { services } from "./services.ts";

/** The OpenAPI documents of this program, made by an application over an empty database. */
export const programDocuments = async (config: Config): Promise<Documents> => {
  const database = openDatabase(":memory:");
  const log = logger({ level: "silent", format: "json", colour: false });
  const runtime = { ...systemRuntime, log };
  const rooms = services(config, database, runtime);
  const { app } = handlers(config, database, rooms, runtime, withoutListeners(config));
  const documents = await documentsOf(app);
  await database.close();
  return documents;
};
