import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { programDocuments } from "../../src/app/request-handlers.ts";
import { readConfig } from "../../src/config/config.ts";
import { DOCUMENTS, type DocumentName } from "../../src/pages/openapi/sections.ts";
import { type Document, declarationsOf } from "../client/declarations.ts";

/** The compiler reads it as a part of `src`: see `rootDirs` in tsconfig.json. */
export const GENERATED = join(import.meta.dir, "../../dist/generated");

export const CLIENT_TYPES = join(GENERATED, "client/types");

/** Both OpenAPI documents, by name. */
export const clientDocuments = async (): Promise<Record<DocumentName, Document>> => {
  const documents = await programDocuments(readConfig({ flags: {}, env: {}, isTerminal: false }));
  const named = DOCUMENTS.map((name) => [name, documents(name, { baseUrl: "", stagingBaseUrl: "" })]);
  return Object.fromEntries(named) as Record<DocumentName, Document>;
};

/** Another process may read the file, or write it too. */
const replace = (file: string, text: string): void => {
  const temporary = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(temporary, text);
  renameSync(temporary, file);
};

/** Writes the types of the client: a file for each OpenAPI document. */
export const writeClientTypes = async (): Promise<void> => {
  const documents = await clientDocuments();
  for (const name of DOCUMENTS) replace(join(CLIENT_TYPES, `${name}.d.ts`), declarationsOf(documents[name]));
};

if (import.meta.main) await writeClientTypes();
