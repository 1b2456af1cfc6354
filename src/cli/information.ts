import { Argument, Command, Option } from "commander";
import { commitOf, SOURCE, COMMIT, VERSION } from "../app/version.ts";
import { programDocuments } from "../app/request-handlers.ts";
import { processEnvironment } from "../config/config.ts";
import { migrations } from "../db/migrations.ts";
import { FORMAT_NAMES, type FormatName, FORMATS } from "../openapi/formats.ts";
import { absoluteBase, type Addresses, type DocumentName, DOCUMENTS } from "../openapi/sections.ts";
import { manualPage } from "./help/man.ts";
import { withoutSettings } from "./help/options.ts";
import { withExamples } from "./help/texts.ts";
import { print, printJson } from "./print/output.ts";
import { availableConfig, withSettings } from "./settings.ts";

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

export const manCommand = (): Command =>
  withoutSettings(
    withExamples(
      new Command("man"),
      ["Read it", "adoption-store man | man -l -"],
      [
        "Install it for all users, so that man adoption-store finds it",
        "adoption-store man \\\n  | sudo tee /usr/local/share/man/man1/adoption-store.1 > /dev/null",
      ],
    ).description("print the manual page, for man"),
  ).action(function (this: Command) {
    if (this.parent) print(manualPage(this.parent, VERSION));
  });

/** `upgrade` of earlier builds runs `version` with an empty environment, and accepts a version only. */
const isEarlierUpgrade = (): boolean => Object.keys(processEnvironment()).length === 0;

export const versionCommand = (): Command =>
  withoutSettings(
    new Command("version")
      .description("print the version, the commit and the newest migration")
      .option("--json", "print JSON"),
  ).action(({ json }: { json?: boolean }) => {
    const commit = COMMIT ?? (Bun.isStandaloneExecutable ? undefined : commitOf(SOURCE));
    const migration = migrations.at(-1)?.tag;
    if (json) return printJson({ version: VERSION, commit: commit ?? null, migration });
    if (isEarlierUpgrade()) return print(VERSION);
    print(`version    ${VERSION}\ncommit     ${commit ?? "unknown"}\nmigration  ${migration}`);
  });
