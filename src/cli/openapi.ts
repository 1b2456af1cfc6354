import { Argument, Command } from "commander";
import { programDocuments } from "../app/openapi.ts";
import { DOCUMENTS, type DocumentName } from "../openapi/sections.ts";
import { withExamples } from "./help/texts.ts";
import { configOf, withSettings } from "./settings.ts";
import { print } from "./print/output.ts";

export const openapiCommand = (): Command =>
  withSettings(
    withExamples(new Command("openapi"), [
      "Save the document of the store's API",
      "adoption-store openapi store > openapi.json",
    ])
      .description("print an OpenAPI document as JSON")
      .addArgument(new Argument("[document]", "which document").choices(DOCUMENTS).default("store")),
    ["port", "baseUrl", "stagingBaseUrl"],
  ).action(async (name: DocumentName, options: Record<string, unknown>) => {
    const config = configOf(options);
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    const documents = await programDocuments(config);
    const addresses = { baseUrl, stagingBaseUrl: config.stagingBaseUrl ?? baseUrl };
    print(JSON.stringify(documents(name, addresses, "variables"), null, 2));
  });
