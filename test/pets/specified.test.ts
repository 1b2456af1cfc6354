import { expect, test } from "bun:test";
import { generateDocuments } from "../../src/openapi/generate.ts";
import { openStore } from "../support/store.ts";
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
    expect(JSON.stringify(reduced(now, before))).toBe(JSON.stringify(before));
    const known = before.parameters.map((parameter) => parameter.name);
    const added = now.parameters.filter((parameter) => !known.includes(parameter.name));
    expect(added.filter(({ required }) => required)).toEqual([]);
  },
);

type Fields = Record<string, Json | undefined>;

/** The schema without what was added to its fields: a pattern, which says what was refused before, and sentences. */
const asBefore = (now: Json, before: Json): Json => {
  const fields = (now["properties"] ?? {}) as Fields;
  const known = (before["properties"] ?? {}) as Fields;
  const reducedField = (name: string): Json => {
    const { pattern: _pattern, ...field } = fields[name] ?? {};
    const description = String(known[name]?.["description"]);
    return String(field["description"]).startsWith(`${description} `) ? { ...field, description } : field;
  };
  const names = Object.keys(fields);
  return names.length === 0
    ? now
    : { ...now, properties: Object.fromEntries(names.map((name) => [name, reducedField(name)])) };
};

test.each(Object.entries(schemas))("the schema %s is what was specified", (name, specifiedSchema) => {
  const before: Json = specifiedSchema;
  expect(asBefore(components.schemas[name] as Json, before)).toEqual(before);
});
