import { type Json, isObject, referredName, resolve } from "../schemas.ts";
import type { Document, Parameter } from "./document.ts";
import { code, escape, inline, lines, link } from "./markup.ts";

type Schemas = Document["components"]["schemas"];

export const schemaAnchor = (name: string): string => `schema-${name}`;

const schemaLink = (name: string): string => link(`#${schemaAnchor(name)}`, escape(name));

/** The type in a word or two, as HTML. A schema with a name is a link to it. */
export const typeOf = (schema: Json | undefined): string => {
  if (!schema) return "";
  const name = referredName(schema);
  if (name !== undefined) return schemaLink(name);
  if (Array.isArray(schema["anyOf"]))
    return (schema["anyOf"] as Json[]).map((one) => typeOf(one)).join(" or ");
  if (schema["type"] === "array") return `array of ${typeOf(schema["items"] as Json) || "any value"}`;
  return escape([schema["type"], schema["format"]].filter(Boolean).join(", "));
};

const numberOf = (schema: Json, name: string): number | undefined =>
  typeof schema[name] === "number" ? schema[name] : undefined;

/** `1 to 100`, `at least 1`, `at most 100`; empty without a bound. */
const rangeOf = (min: number | undefined, max: number | undefined): string => {
  if (min === undefined) return max === undefined ? "" : `at most ${max}`;
  if (max === undefined) return `at least ${min}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
};

const RANGES = [
  ["minimum", "maximum", ""],
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " items"],
] as const;

const MAX_SHOWN_PATTERN = 48;

const patternOf = ({ pattern }: Json): string => {
  if (typeof pattern !== "string") return "";
  return pattern.length <= MAX_SHOWN_PATTERN
    ? `matches ${code(pattern)}`
    : `<details><summary>matches a pattern</summary>${code(pattern)}</details>`;
};

const valuesOf = (values: unknown): string => (Array.isArray(values) ? values.map(code).join(", ") : "");

const exceptOf = ({ not }: Json): string => {
  const values = valuesOf(isObject(not) ? not["enum"] : undefined);
  return values && `<details><summary>except reserved values</summary>${values}</details>`;
};

const defaultOf = (schema: Json): string =>
  schema["default"] === undefined ? "" : `default ${code(schema["default"])}`;

const shownExample = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const exampleOf = ({ examples, enum: values }: Json): string =>
  Array.isArray(examples) && !values ? `example ${code(shownExample(examples[0]))}` : "";

/** The rules of a value, each a list item. */
export const constraintsOf = (schema: Json, schemas: Schemas): string => {
  const resolved = resolve(schema, schemas);
  const ranges = RANGES.map(([low, high, unit]) => {
    const range = rangeOf(numberOf(resolved, low), numberOf(resolved, high));
    return range && `${range}${unit}`;
  });
  const values = valuesOf(resolved["enum"]);
  const rules = [
    defaultOf(resolved),
    values && `one of ${values}`,
    ...ranges,
    resolved["uniqueItems"] ? "no item twice" : "",
    patternOf(resolved),
    exceptOf(resolved),
    exampleOf(resolved),
  ].filter((rule) => rule !== "");
  return rules.length === 0
    ? ""
    : `<ul class="rules">${rules.map((rule) => `<li>${rule}</li>`).join("")}</ul>`;
};

interface Field {
  name: string;
  schema: Json;
  isRequired: boolean;
  description: string;
}

const mark = ({ isRequired }: Field): string =>
  isRequired ? '<span class="required">required</span>' : '<span class="optional">optional</span>';

const fieldHtml = (field: Field, schemas: Schemas): string =>
  lines(
    `<dt>${code(field.name)} <span class="type">${typeOf(field.schema)}</span> ${mark(field)}</dt>`,
    `<dd>${inline(field.description)}${constraintsOf(field.schema, schemas)}</dd>`,
  );

const fieldList = (fields: readonly Field[], schemas: Schemas): string =>
  fields.length === 0
    ? ""
    : `<dl class="fields">\n${fields.map((field) => fieldHtml(field, schemas)).join("\n")}\n</dl>`;

export const parameterList = (parameters: readonly Parameter[], schemas: Schemas): string =>
  fieldList(
    parameters.map(({ name, schema, required, description }) => ({
      name,
      schema,
      isRequired: required === true,
      description: description ?? "",
    })),
    schemas,
  );

const descriptionOf = ({ description }: Json): string => (typeof description === "string" ? description : "");

/** The fields of an object with a name; empty for other schemas. */
export const propertyList = (schema: Json, schemas: Schemas): string => {
  const { properties, required } = resolve(schema, schemas);
  const names = Array.isArray(required) ? (required as string[]) : [];
  const fields = Object.entries((properties ?? {}) as Record<string, Json>).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: names.includes(name),
    description: descriptionOf(property) || descriptionOf(resolve(property, schemas)),
  }));
  return fieldList(fields, schemas);
};
