import { Argument, Command, Option } from "commander";
import { programDocuments } from "../app/openapi.ts";
import { FORMATS, FORMAT_NAMES, type FormatName } from "../openapi/formats.ts";
import { type Addresses, DOCUMENTS, type DocumentName, absoluteBase } from "../openapi/sections.ts";
import { withExamples } from "./help/texts.ts";
import { availableConfig, withSettings } from "./settings.ts";
import { print } from "./print/output.ts";

const textOf = (document: object, name: DocumentName, format: FormatName, addresses: Addresses): string =>
  format === "json"
    ? JSON.stringify(document, null, 2)
    : FORMATS[format].write(document, absoluteBase(name, addresses)).trimEnd();

export const openapiCommand = (): Command =>
  withSettings(
    withExamples(
      new Command("openapi"),
      ["Save the document of the store's API", "adoption-store openapi store > openapi.json"],
      [
        "Save a collection for Postman or Bruno",
        "adoption-store openapi store --format postman > store.postman.json",
      ],
    )
      .description("print an OpenAPI document, or a Postman collection made from it")
      .addArgument(new Argument("[document]", "which document").choices(DOCUMENTS).default("store"))
      .addOption(
        new Option("--format <format>", "form of the document").choices(FORMAT_NAMES).default("json"),
      ),
    ["port", "baseUrl", "stagingBaseUrl"],
  ).action(async (name: DocumentName, options: Record<string, unknown> & { format: FormatName }) => {
    const config = availableConfig(options);
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    const documents = await programDocuments(config);
    const addresses = { baseUrl, stagingBaseUrl: config.stagingBaseUrl ?? baseUrl };
    print(textOf(documents(name, addresses, "variables"), name, options.format, addresses));
  });
