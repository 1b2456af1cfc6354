import { expect, test } from "bun:test";
import { DOCUMENTS } from "../../../src/pages/openapi/sections.ts";
import { differences, type Node, normalise } from "./normalise.ts";
import { currentDocument, storedDocument } from "./update.ts";

// Clients are generated from these documents. If an operation changes on purpose, run `bun run openapi:store` and
// commit its output: the diff shows the changes that clients will notice.
test.each(DOCUMENTS)(
  "the %s document is the stored one, except for descriptions and schema names",
  async (name) => {
    const found = differences(await storedDocument(name), await currentDocument(name));
    if (found.length > 0)
      throw new Error(
        `The ${name} document differs from test/pages/openapi/${name}.json:\n  ${found.join("\n  ")}\n` +
          "If that is intended, run `bun run openapi:store` and commit the result.",
      );
  },
);

const RESPONSE = {
  description: "A cat.",
  content: { "text/json": { schema: { $ref: "#/components/schemas/Cat" } } },
};
const CAT = {
  type: "object",
  description: "A cat.",
  required: ["name", "title"],
  properties: {
    name: { type: "string" },
    title: { type: "string" },
    mother: { $ref: "#/components/schemas/Cat" },
  },
};
const LIMIT = { in: "query", name: "limit", required: false, schema: { type: "integer", default: 20 } };
const OPERATION = {
  operationId: "getCat",
  summary: "A cat",
  parameters: [LIMIT],
  requestBody: { content: { "text/json": { example: { description: "Shy." } } } },
  responses: { 200: RESPONSE },
};

const documentWith = (operation: object, schemas: object = { Cat: CAT }): Node =>
  normalise({
    openapi: "3.1.0",
    paths: { "/cat": { get: { ...OPERATION, ...operation } } },
    components: { schemas, securitySchemes: { key: { type: "http" } } },
  });

const differencesWith = (operation: object, schemas?: object): string[] =>
  differences(documentWith({}), documentWith(operation, schemas));

test("documents that differ in descriptions and summaries are equal", () => {
  const responses = { 200: { ...RESPONSE, description: "Any cat." } };
  const reworded = { ...OPERATION, responses, summary: "Any cat" };
  expect(differencesWith(reworded)).toEqual([]);
});

test("documents that differ in the name of a recursive schema are equal", () => {
  const [operation, schemas] = JSON.parse(
    JSON.stringify([OPERATION, { Cat: CAT }]).replaceAll(/(?<=schemas\/|")Cat(?=")/g, "Animal"),
  );
  expect(Object.keys(schemas)).toEqual(["Animal"]);
  expect(differencesWith(operation, schemas)).toEqual([]);
});

test.each<[string, object, object | undefined, string]>([
  ["a response code", { responses: { 201: RESPONSE } }, undefined, "paths /cat get responses 200: is gone"],
  [
    "a parameter's default",
    { parameters: [{ ...LIMIT, schema: { ...LIMIT.schema, default: 50 } }] },
    undefined,
    "paths /cat get parameters query limit schema default: was 20, is 50",
  ],
  ["an extension", { "x-stability": "beta" }, undefined, 'paths /cat get x-stability: is new; it is "beta"'],
  [
    "an example's description",
    { requestBody: { content: { "text/json": { example: { description: "Tame." } } } } },
    undefined,
    'example description: was "Shy.", is "Tame."',
  ],
  [
    "a property with the name title",
    {},
    { Cat: { ...CAT, properties: { ...CAT.properties, title: { type: "null" } } } },
    'schema (Cat) properties title type: was "string", is "null"',
  ],
  [
    "the reference of a schema's property",
    {},
    {
      Cat: { ...CAT, properties: { ...CAT.properties, mother: { $ref: "#/components/schemas/Dog" } } },
      Dog: { type: "null" },
    },
    'schema (Cat) properties mother (Dog) type: was "object", is "null"',
  ],
])(
  "a document that changes %s differs, and the difference names the place",
  (_, operation, schemas, line) => {
    expect(differencesWith(operation, schemas).join("\n")).toContain(line);
  },
);

test("a document that changes a security scheme differs", () => {
  const { components, ...rest } = documentWith({});
  const open = { ...rest, components: { ...(components as Node), securitySchemes: {} } };
  expect(differences(documentWith({}), open)).toEqual([
    'components securitySchemes key: is gone; it was {"type":"http"}',
  ]);
});
