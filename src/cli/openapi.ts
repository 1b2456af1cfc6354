import { Command } from "commander";
import { programDocuments } from "../app/openapi.ts";
import { DOCUMENTS } from "../openapi/sections.ts";
import { configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { print } from "./print/output.ts";

export const openapiCommand = (): Command =>
  withSettings(
    new Command("openapi")
      .description("print an OpenAPI document as JSON")
      .argument("[document]", `which one: ${DOCUMENTS.join(" or ")}`, "store"),
    ["port", "baseUrl", "stagingBaseUrl"],
  ).action(async (text: string, options: Record<string, unknown>) => {
    const name = DOCUMENTS.find((document) => document === text);
    if (!name)
      throw new UsageError(`${JSON.stringify(text)} is not a document: use ${DOCUMENTS.join(" or ")}`);
    const config = configOf(options);
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    const documents = await programDocuments(config);
    const addresses = { baseUrl, stagingBaseUrl: config.stagingBaseUrl ?? baseUrl };
    print(JSON.stringify(documents(name, addresses, "variables"), null, 2));
  });
