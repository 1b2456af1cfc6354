import { Argument, Command } from "commander";
import { type DocumentName, documentsOf } from "../http/docs.ts";
import { openDatabase } from "../db/open.ts";
import { wireApp } from "../wire.ts";
import { configOf, withSettings } from "./settings.ts";
import { print } from "./terminal.ts";

export const openapiCommand = (): Command =>
  withSettings(
    new Command("openapi")
      .description("print an OpenAPI document as JSON")
      .addArgument(new Argument("[document]", "which one").choices(["store", "platform"]).default("store")),
    ["port", "baseUrl", "stagingBaseUrl"],
  ).action(async (name: DocumentName, options: Record<string, unknown>) => {
    const config = configOf(options);
    const database = openDatabase(":memory:");
    const { app } = wireApp(config, database);
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    const documents = await documentsOf(app);
    print(
      JSON.stringify(documents(name, { baseUrl, stagingBaseUrl: config.stagingBaseUrl ?? baseUrl }), null, 2),
    );
    await database.close();
  });
