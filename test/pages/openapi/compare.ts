import { type Node, isNode } from "./normalise.ts";

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
