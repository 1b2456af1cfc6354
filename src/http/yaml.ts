import type { CST } from "yaml";
import { Fault } from "../lib/errors.ts";
import { quoted } from "../lib/text.ts";

type Yaml = typeof import("yaml");

/** The media types of a YAML body: the one of RFC 9512, and two that predate it. */
export const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml"] as const;

const yamlFault = (reason: string) => new Fault("invalid_request", `The body is not valid YAML: ${reason}.`);

type Collection = Extract<CST.Token, { items: unknown }>;

const isMapping = (token: Collection): boolean =>
  token.type === "block-map" || (token.type === "flow-collection" && token.start.source === "{");

/** In a flow mapping the parser stores a key without a value as a value: `{a, b: 1}`. */
const keyOf = ({ CST }: Yaml, { key, sep = [], value }: CST.CollectionItem): string | undefined => {
  // Bun's parser reports errors in scalars. Without a callback the library throws.
  const scalarOf = (token: CST.Token | null | undefined) =>
    CST.resolveAsScalar(token ?? null, false, () => {})?.value;
  return scalarOf(key) ?? (sep.length === 0 ? scalarOf(value) : undefined);
};

/** @throws Fault invalid_request */
const assertKeys = (yaml: Yaml, mapping: Collection) => {
  const keys = new Set<string>();
  for (const item of mapping.items) {
    const key = keyOf(yaml, item);
    if (key === undefined) continue;
    if (key === "<<") throw yamlFault("it has the key <<, but merges are not supported");
    if (keys.has(key)) throw new Fault("invalid_request", `${quoted(key)}: appears twice in one mapping`);
    keys.add(key);
  }
};

const childrenOf = (token: CST.Token): CST.Token[] => {
  if (token.type === "document") return [...token.start, ...(token.value ? [token.value] : [])];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ start, key, sep = [], value }) =>
    [...start, ...sep, key, value].filter((part) => part !== null && part !== undefined),
  );
};

/** More lexemes than a mapping of 100 redirects has. 64 KiB of them would block the event loop for 0.3 s. */
const MAX_LEXEMES = 5000;

/**
 * Refuses what Bun's parser accepts and this API does not: merges, a key that appears twice in one mapping, and anchors and
 * aliases, which can expand a small body into a huge value. It reads tokens only: for 5,000 open brackets that takes 15 ms, and
 * the library's own documents take 8 s. An explicit stack replaces recursion, because tokens can be nested deeper than the call
 * stack.
 * @throws Fault invalid_request
 */
const assertPlainYaml = (yaml: Yaml, text: string) => {
  let left = MAX_LEXEMES;
  for (const _ of new yaml.Lexer().lex(text))
    if (--left < 0) throw yamlFault(`it has more than ${MAX_LEXEMES} parts`);
  const tokens = [...new yaml.Parser().parse(text)];
  for (let token = tokens.pop(); token; token = tokens.pop()) {
    if (token.type === "anchor" || token.type === "alias")
      throw yamlFault(
        `it has ${quoted(token.source.slice(0, 50))}, but anchors and aliases are not supported`,
      );
    if ("items" in token && isMapping(token)) assertKeys(yaml, token);
    for (const child of childrenOf(token)) tokens.push(child);
  }
};

/**
 * Reads one YAML document of plain data.
 * @throws Fault invalid_request
 */
export const parseYaml = async (text: string): Promise<unknown> => {
  // Imported for the first YAML body, because loading the tokeniser takes 5 ms of the start.
  assertPlainYaml(await import("yaml"), text);
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw yamlFault("nested too deeply");
    throw yamlFault(error.message.replace(/^YAML Parse error: /, ""));
  }
};

export const writeYaml = (value: unknown): string => `${Bun.YAML.stringify(value, null, 2)}\n`;
