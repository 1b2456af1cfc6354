import { expect, test } from "bun:test";
import { DOCUMENTS } from "../../src/pages/openapi/sections.ts";
import { clientDocuments } from "../support/client-types.ts";
import { type Document, type Schema, declarationsOf, typeOf } from "./declarations.ts";

const TYPES: [Schema, string][] = [
  [{ type: "string" }, "string"],
  [{ type: "string", format: "date-time" }, "string"],
  [{ type: "string", format: "binary" }, "Blob"],
  [{ type: "string", enum: ["free", "pro"] }, '"free" | "pro"'],
  [{ type: "integer" }, "number"],
  [{ type: "boolean" }, "boolean"],
  [{ $ref: "#/components/schemas/Pet" }, 'components["schemas"]["Pet"]'],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
  [{ type: "array", items: { type: "string", enum: ["A", "AAAA"] } }, '("A" | "AAAA")[]'],
  [{ type: "object" }, "{}"],
  [{ type: "object", additionalProperties: true }, "{ [name: string]: unknown }"],
  [
    { type: "object", properties: { id: { type: "integer" }, "x-id": { type: "string" } }, required: ["id"] },
    '{ id: number; "x-id"?: string }',
  ],
  [{ type: "object", properties: { categoryId: { type: "integer" } } }, "{ categoryId?: number | bigint }"],
  [
    { type: "object", properties: { at: { type: "string", format: "date", description: "From */* on." } } },
    "{\n  /** From *\\/* on. Format: date. */\n  at?: string;\n}",
  ],
];

test("any value has the type unknown", () => {
  expect(typeOf({ description: "The new value." })).toBe("unknown");
});

test.each(TYPES)("the schema %j has its type", (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

test("a schema of an unknown form is refused, because a wrong type would go unnoticed", () => {
  const oneOf = { oneOf: [{ type: "string" }] };
  expect(() => typeOf({ type: "object", properties: { name: oneOf as Schema } })).toThrow(
    JSON.stringify(oneOf),
  );
});

const json = (name: string) => ({
  "application/json": { schema: { $ref: `#/components/schemas/${name}` } },
});

const DOCUMENT: Document = {
  paths: {
    "/pets/{petId}": {
      patch: {
        operationId: "changePet",
        summary: "Change an animal",
        deprecated: true,
        parameters: [
          { in: "path", name: "petId", required: true, schema: { type: "integer" } },
          { in: "header", name: "If-Match", description: "An entity tag.", schema: { type: "string" } },
        ],
        requestBody: { required: true, content: json("Pet") },
        responses: {
          200: { description: "The animal.", content: json("Pet") },
          304: { description: "Not modified." },
          404: { description: "There is none.", content: json("Error") },
          500: { content: json("Error") },
        },
      },
      get: {
        operationId: "streamPet",
        summary: "Stream",
        responses: { 200: { content: { "text/plain": {} } } },
      },
    },
  },
  components: { schemas: { Pet: { type: "object" }, Error: { type: "object", description: "An error." } } },
};

const DECLARATIONS = `export interface paths {
  "/pets/{petId}": {
    /**
     * Change an animal
     *
     * @deprecated
     */
    patch: operations["changePet"];
    /** Stream */
    get: operations["streamPet"];
  };
}

export interface components {
  schemas: {
    Pet: {};
    /** An error. */
    Error: {};
  };
}

export interface operations {
  changePet: {
    parameters: {
      query?: never;
      header?: {
        /** An entity tag. */
        "If-Match"?: string;
      };
      path: { petId: number };
    };
    requestBody: { content: { "application/json": components["schemas"]["Pet"] } };
    responses: {
      /** The animal. */
      200: { content: { "application/json": components["schemas"]["Pet"] } };
      /** Not modified. */
      304: { content?: never };
      default: { content: { "application/json": components["schemas"]["Error"] } };
    };
  };
  streamPet: {
    parameters: { query?: never; header?: never; path?: never };
    requestBody?: never;
    responses: { 200: { content: { "text/plain": unknown } } };
  };
}
`;

test("a document has declarations of its paths, schemas and operations", () => {
  expect(declarationsOf(DOCUMENT)).toBe(DECLARATIONS);
});

test.each(DOCUMENTS)("the declarations of the %s have all of its operations", async (name) => {
  const { [name]: document } = await clientDocuments();
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const declarations = declarationsOf(document);
  expect(operations.length).toBeGreaterThan(20);
  for (const { operationId } of operations) expect(declarations).toContain(`operations["${operationId}"]`);
});
