import { commitOf, SOURCE, COMMIT, VERSION } from "../lib/version.ts";
import { programDocuments } from "../app/request-handlers.ts";
import { processEnvironment } from "../config/config.ts";
import { migrations } from "../data/db/migrations.ts";
import { FORMAT_NAMES, type FormatName, FORMATS } from "../pages/openapi/formats.ts";
import { absoluteBase, type Addresses, type DocumentName, DOCUMENTS } from "../pages/openapi/sections.ts";
import { command } from "./command.ts";
import { manualPage } from "./man.ts";
import { print } from "./print/output.ts";
import { availableConfig } from "./settings.ts";

const textOf = (document: object, name: DocumentName, format: FormatName, addresses: Addresses): string =>
  format === "json"
    ? JSON.stringify(document, null, 2)
    : FORMATS[format].write(document, absoluteBase(name, addresses)).trimEnd();

export const openapiCommand = command({
  name: "openapi",
  description: "print an OpenAPI document, or a Postman collection made from it",
  takes: {
    "[document]": { text: "which document", choices: DOCUMENTS, fallback: "store" },
    "--format <format>": { text: "form of the document", choices: FORMAT_NAMES, fallback: "json" },
  },
  settings: ["port", "baseUrl", "stagingBaseUrl"],
  examples: {
    "Save the document of the store's API": "store > openapi.json",
    "Save a collection for Postman or Bruno": "store --format postman > store.postman.json",
  },
  async run({ document, format, ...input }) {
    const config = availableConfig(input);
    const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;
    const documents = await programDocuments(config);
    const addresses = { baseUrl, stagingBaseUrl: config.stagingBaseUrl ?? baseUrl };
    print(textOf(documents(document, addresses, "variables"), document, format, addresses));
  },
});

export const manCommand = command({
  name: "man",
  description: "print the manual page, for man",
  isIndependent: true,
  examples: {
    "Read it": "| man -l -",
    "Install it for all users, so that man adoption-store finds it":
      "\\\n  | sudo tee /usr/local/share/man/man1/adoption-store.1 > /dev/null",
  },
  run(_, { parent }) {
    if (parent) print(manualPage(parent, VERSION));
  },
});

/** `upgrade` of earlier builds runs `version` with an empty environment, and accepts a version only. */
const isEarlierUpgrade = (): boolean => Object.keys(processEnvironment()).length === 0;

export const versionCommand = command({
  name: "version",
  description: "print the version, the commit and the newest migration",
  takes: { "--json": "print JSON" },
  isIndependent: true,
  run() {
    const commit = COMMIT ?? (Bun.isStandaloneExecutable ? undefined : commitOf(SOURCE));
    const migration = migrations.at(-1)?.tag;
    return {
      json: { version: VERSION, commit: commit ?? null, migration },
      text: isEarlierUpgrade()
        ? VERSION
        : `version    ${VERSION}\ncommit     ${commit ?? "unknown"}\nmigration  ${migration}`,
    };
  },
});
