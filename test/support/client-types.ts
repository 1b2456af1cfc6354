import { join } from "node:path";
import openapiTS, { type OpenAPITSOptions, astToString } from "openapi-typescript";
import ts from "typescript";
import { DOCUMENTS, type DocumentName } from "../../src/openapi/sections.ts";
import { readConfig } from "../../src/config/config.ts";
import { programDocuments } from "../../src/app/openapi.ts";
import { PLANS } from "../../src/projects/plan.ts";

const SRC = join(import.meta.dir, "../../src");

export const typesFile = (name: DocumentName): string => join(SRC, `client/types/${name}.d.ts`);

type Json = Record<string, unknown>;

const UNUSED: ReadonlySet<string> = new Set(["headers", "links", "examples", "tags", "x-tagGroups"]);
const isError = (status: string): boolean => /^[45]\d\d$/.test(status);

/** Removes what the client needs no types for: headers, and all errors but one, because they share one form. */
const lean = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value as Json).filter(
    ([name, part]) => !(isError(name) || (UNUSED.has(name) && typeof part === "object")),
  );
  const refusal = Object.entries(value as Json).find(([name]) => isError(name));
  return Object.fromEntries([
    ...fields.map(([name, part]) => [name, lean(part)]),
    ...(refusal ? [["default", { ...(lean(refusal[1]) as Json), description: "Refused." }]] : []),
  ]);
};

/** The one integer that clients choose. Those that the service assigns stay below 2^53. */
const CHOSEN = /\/categoryId(\/schema)?$/;

const { factory } = ts;
const INT64 = factory.createUnionTypeNode([
  factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
  factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword),
]);
const BLOB = factory.createTypeReferenceNode("Blob");

const transform: OpenAPITSOptions["transform"] = ({ format, type }, { path = "" }) => {
  if (format === "binary") return BLOB;
  return type === "integer" && CHOSEN.test(path) ? INT64 : undefined;
};

/** Generates the types of the client from the OpenAPI documents. */
export const typesOf = async (name: DocumentName): Promise<string> => {
  const documents = await programDocuments(readConfig({ flags: {}, env: {}, isTerminal: false }));
  const origin = "http://localhost";
  const document = documents(name, { baseUrl: origin, stagingBaseUrl: origin });
  const nodes = await openapiTS(lean(document) as Parameters<typeof openapiTS>[0], { transform });
  const types = astToString(nodes);
  return `// Written by \`bun run client:types\` from the ${name}'s OpenAPI document: nothing here is written by hand.\n\n${types}`;
};

export const PLANS_FILE = join(SRC, "console/ui/api/plans.ts");

/** The console's copy of the plans, because it imports nothing of the program. */
const plansText = (): string =>
  `// Written by \`bun run client:types\` from src/projects/plan.ts.\n\nexport const PLANS = ${JSON.stringify(PLANS)} as const;\n`;

if (import.meta.main) {
  for (const name of DOCUMENTS) await Bun.write(typesFile(name), await typesOf(name));
  await Bun.write(PLANS_FILE, plansText());
}
