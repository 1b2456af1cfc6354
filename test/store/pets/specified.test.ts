import { expect, test } from "bun:test";
import { generateDocuments } from "../../../src/pages/openapi/document.ts";
import { normalise } from "../../pages/openapi/normalise.ts";
import { openStore } from "../../support/store.ts";
// As they were when nothing but the specification was built.
import specified from "./specified.json";

type Json = Record<string, unknown>;
interface Described extends Json {
  parameters: (Json & { name: string; required?: boolean })[];
  responses: Record<string, Json & { headers: Json }>;
}

const documents = await generateDocuments((await openStore()).app);
const { paths, components } = documents("store", { baseUrl: "", stagingBaseUrl: "" }) as unknown as {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Json };
};
const { schemas, ...operations } = specified;

/** The operation without the parameters, responses and headers that it did not have. */
const reduced = (now: Described, before: Described): Described => {
  const known = new Set(before.parameters.map(({ name }) => name));
  const headersOf = (status: string) => Object.keys(before.responses[status]?.headers ?? {});
  return {
    ...now,
    parameters: now.parameters.filter(({ name }) => known.has(name)),
    responses: Object.fromEntries(
      Object.entries(now.responses)
        .filter(([status]) => status in before.responses)
        .map(([status, response]) => [
          status,
          {
            ...response,
            headers: Object.fromEntries(
              Object.entries(response.headers).filter(([name]) => headersOf(status).includes(name)),
            ),
          },
        ]),
    ),
  };
};

test.each([
  ["listPets", "/pets", "get"],
  ["createPet", "/pets", "post"],
  ["getPet", "/pets/{petId}", "get"],
] as const)(
  "%s is documented as specified, apart from added parameters, responses and headers",
  (name, path, method) => {
    const before = operations[name] as unknown as Described;
    const now = paths[path]?.[method] as Described;
    expect(normalise(reduced(now, before))).toEqual(normalise(before));
    const known = before.parameters.map((parameter) => parameter.name);
    const added = now.parameters.filter((parameter) => !known.includes(parameter.name));
    expect(added.filter(({ required }) => required)).toEqual([]);
  },
);

type Fields = Record<string, Json | undefined>;

/** The schema without the patterns that were added to its fields, which document earlier refusals. */
const withoutPatterns = (schema: Json): Json => {
  const fields = Object.entries((schema["properties"] ?? {}) as Fields);
  if (fields.length === 0) return schema;
  const properties = fields.map(([name, { pattern: _pattern, ...field } = {}]) => [name, field]);
  return { ...schema, properties: Object.fromEntries(properties) };
};

test.each(Object.entries(schemas))("the schema %s is the specified one", (name, before) => {
  expect(normalise(withoutPatterns(components.schemas[name] as Json))).toEqual(normalise(before));
});

/** The sentences of the specification, by where the document must have them. */
const TEXTS: [string, string][] = [
  ["The list of animals.", "paths /pets get responses 200"],
  ["Missing or invalid API key.", "paths /pets get responses 401"],
  ["Maximum number of animals returned.", "paths /pets get parameters 0"],
  ["Filter by availability status.", "paths /pets get parameters 1"],
  ["Animal added; the body carries the assigned id.", "paths /pets post responses 201"],
  ["Body lacks required fields or contains invalid values.", "paths /pets post responses 400"],
  ["Id of the animal to retrieve.", "paths /pets/{petId} get parameters 0"],
  ["The requested animal.", "paths /pets/{petId} get responses 200"],
  ["The requested resource could not be found.", "paths /pets/{petId} get responses 404"],
  ["The animal's name.", "schemas NewPet properties name"],
  ["Id of the category the animal belongs to.", "schemas NewPet properties categoryId"],
  ["Unique identifier, assigned by the service on creation.", "schemas Pet properties id"],
  ["Machine-readable error code.", "schemas Error properties code"],
  ["Human-readable description.", "schemas Error properties message"],
  ["The HTTP status code of the response.", "schemas Error properties status"],
];

test.each(TEXTS)("the text of the specification is kept: %s", (text, place) => {
  const document: Json = { paths, schemas: components.schemas };
  const node = place.split(" ").reduce<Json>((at, name) => at[name] as Json, document);
  expect(node["description"]).toStartWith(text);
});
