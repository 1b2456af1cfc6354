import { CST, Lexer, Parser } from "yaml";
import { Fault } from "../lib/errors.ts";
import { quoted } from "../lib/text.ts";

/** Of YAML that is not taken. */
export const refusal = (reason: string) =>
  new Fault("invalid_request", `The body is not valid YAML: ${reason}.`);

type Collection = Extract<CST.Token, { items: unknown }>;

const isMapping = (token: Collection): boolean =>
  token.type === "block-map" || (token.type === "flow-collection" && token.start.source === "{");

/** What is wrong in a scalar is for Bun's parser to say: without somebody to tell, the library throws. */
const ignore = () => {};

const scalarOf = (token: CST.Token | null | undefined): string | undefined =>
  CST.resolveAsScalar(token ?? null, false, ignore)?.value;

/** Of a flow mapping, a key without a value stands where others have theirs: `{a, b: 1}`. */
const keyOf = ({ key, sep = [], value }: CST.CollectionItem): string | undefined =>
  scalarOf(key) ?? (sep.length === 0 ? scalarOf(value) : undefined);

/** @throws Fault invalid_request */
const assertKeys = (mapping: Collection) => {
  const keys = new Set<string>();
  for (const item of mapping.items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    if (key === "<<") throw refusal("it has the key <<, and merges are not taken");
    if (keys.has(key)) throw new Fault("invalid_request", `${quoted(key)}: appears twice in one mapping`);
    keys.add(key);
  }
};

/** What a token is made of, one level down. */
const partsOf = (token: CST.Token): CST.Token[] => {
  if (token.type === "document") return [...token.start, ...(token.value ? [token.value] : [])];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ start, key, sep = [], value }) =>
    [...start, ...sep, key, value].filter((part) => part !== null && part !== undefined),
  );
};

/** More lexemes than a mapping of 100 redirects has; 64 KiB of them would keep everybody waiting for 0.3 s. */
const MAX_LEXEMES = 5000;

/** @throws Fault invalid_request */
const assertShort = (text: string) => {
  let left = MAX_LEXEMES;
  for (const _ of new Lexer().lex(text))
    if (--left < 0) throw refusal(`it has more than ${MAX_LEXEMES} parts`);
};

/**
 * Refuses what Bun's parser would take and we do not: anchors and aliases, whose merges make much of little, and a key
 * that a mapping has twice, of which that takes the last. Tokens are walked with a stack of our own: their nesting may be
 * deeper than the machine's.
 * @throws Fault invalid_request
 */
export const assertPlain = (text: string) => {
  assertShort(text);
  const tokens = [...new Parser().parse(text)];
  for (let token = tokens.pop(); token; token = tokens.pop()) {
    if (token.type === "anchor" || token.type === "alias")
      throw refusal(`it has ${quoted(token.source.slice(0, 50))}, and anchors and aliases are not taken`);
    if ("items" in token && isMapping(token)) assertKeys(token);
    for (const part of partsOf(token)) tokens.push(part);
  }
};
