/** A node of a JSON document. */
export type Node = Record<string, unknown>;

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const PROSE: ReadonlySet<string> = new Set(["description", "summary", "title"]);
/** Made from the rest of the document. */
const DERIVED: ReadonlySet<string> = new Set(["x-codeSamples"]);
/** Their values are data, where a field may be called `description` too. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
/** The keys of these objects are free names: a property may be called `default`. */
const NAMED: ReadonlySet<string> = new Set(["paths", "properties", "responses", "schemas", "variables"]);

const mapFields = (node: Node, map: (value: unknown, name: string) => unknown): Node =>
  Object.fromEntries(
    Object.entries(node)
      .map(([name, value]) => [name, map(value, name)] as const)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

const isErrorMessage = (name: string, { code, status }: Node): boolean =>
  name === "message" && typeof code === "string" && typeof status === "number";

const dataOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dataOf);
  if (!isNode(value)) return value;
  return mapFields(value, (field, name) => (isErrorMessage(name, value) ? undefined : dataOf(field)));
};

/** A media type has named examples with summaries; a schema has a list of values. */
const examplesOf = (examples: unknown): unknown =>
  isNode(examples) ? mapFields(examples, (example) => dataOf((example as Node)["value"])) : dataOf(examples);

/** By place and name, because the order of parameters does not matter. */
const parametersOf = (parameters: Node[]): Node =>
  mapFields(Object.fromEntries(parameters.map((one) => [[one["in"], one["name"]].join(" "), one])), partOf);

const isReference = (value: unknown): boolean => isNode(value) && "$ref" in value;

/** A header and its component have the same name: a list of names is enough. */
const headersOf = (headers: Node): unknown =>
  Object.values(headers).every(isReference) ? Object.keys(headers).toSorted() : mapFields(headers, partOf);

const fieldOf = (value: unknown, name: string): unknown => {
  if (DERIVED.has(name)) return undefined;
  if (PROSE.has(name) && typeof value === "string") return undefined;
  if (name === "examples") return examplesOf(value);
  if (DATA.has(name)) return dataOf(value);
  if (NAMED.has(name) && isNode(value)) return mapFields(value, partOf);
  if (name === "parameters" && Array.isArray(value)) return parametersOf(value as Node[]);
  if (name === "headers" && isNode(value)) return headersOf(value);
  if (name === "required" && Array.isArray(value)) return value.toSorted();
  return partOf(value);
};

function partOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(partOf);
  return isNode(value) ? mapFields(value, fieldOf) : value;
}

/**
 * Sorts the keys of an OpenAPI document, and removes text for people: descriptions, summaries, titles, code samples and the
 * messages of errors.
 */
export const normalise = (document: Node): Node => partOf(document) as Node;

const MAX_SHOWN = 120;

const preview = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const isNodeList = (value: unknown): value is Node[] => Array.isArray(value) && value.every(isNode);

const SCHEMAS = "#/components/schemas/";

const schemaName = (node: unknown): string | undefined =>
  isNode(node) && typeof node["$ref"] === "string" && node["$ref"].startsWith(SCHEMAS)
    ? node["$ref"].slice(SCHEMAS.length)
    : undefined;

const schemasOf = (document: Node): Node => (document["components"] as { schemas: Node }).schemas;

/** The document without its schemas, which are compared where they are used. */
const usesOf = (document: Node): Node => {
  const { schemas: _schemas, ...components } = document["components"] as Node;
  return { ...document, components };
};

/**
 * Compares two normalised documents. Returns one line for each difference, which names its place. Names of schemas do not
 * matter, because a reference is compared as the schema that it names.
 */
export const differences = (before: Node, now: Node): string[] => {
  const found: string[] = [];
  const compared = new Set<string>();

  const compareNodes = (was: Node, is: Node, place: string[]): void => {
    for (const field of Object.keys({ ...was, ...is })) compare(was[field], is[field], [...place, field]);
  };

  const compareLists = (was: Node[], is: Node[], place: string[]): void => {
    for (let index = 0; index < Math.max(was.length, is.length); index++)
      compare(was[index], is[index], [...place, `[${index}]`]);
  };

  const compareSchemas = (was: unknown, is: unknown, place: string[]): void => {
    const [oldName, newName] = [schemaName(was), schemaName(is)];
    const pair = `${oldName} ${newName}`;
    if (oldName && newName && compared.has(pair)) return;
    compared.add(pair);
    compare(oldName ? schemasOf(before)[oldName] : was, newName ? schemasOf(now)[newName] : is, [
      ...place,
      `(${newName ?? oldName})`,
    ]);
  };

  const compare = (was: unknown, is: unknown, place: string[]): void => {
    const at = place.join(" ");
    if (is === undefined) found.push(`${at}: is gone; it was ${preview(was)}`);
    else if (was === undefined) found.push(`${at}: is new; it is ${preview(is)}`);
    else if (schemaName(was) ?? schemaName(is)) compareSchemas(was, is, place);
    else if (isNode(was) && isNode(is)) compareNodes(was, is, place);
    else if (isNodeList(was) && isNodeList(is)) compareLists(was, is, place);
    else if (!Bun.deepEquals(was, is)) found.push(`${at}: was ${preview(was)}, is ${preview(is)}`);
  };

  compareNodes(usesOf(before), usesOf(now), []);
  return found;
};
