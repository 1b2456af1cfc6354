import { Fault } from "./faults.ts";
import { quoted } from "./json.ts";

/** What a YAML body may be sent as: RFC 9512, and what was in use before it. */
export const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml"] as const;

const refusal = (reason: string) => new Fault("invalid_request", `The body is not valid YAML: ${reason}.`);

/** A key at the begin of a line, behind its indentation and the dashes of lists. */
const KEY = /^( *)((?:- +)*)("[^"]*" *|'[^']*' *|[^\s#"'[{,\]}:-][^:#]*):(?:\s|$)/;

/** The key that a mapping has twice, as far as each is on a line of its own: Bun's parser takes the last. */
const repeatedKey = (text: string): string | undefined => {
  let open: { column: number; keys: Set<string> }[] = [];
  for (const line of text.split("\n")) {
    const [, indent = "", dashes = "", written] = KEY.exec(line) ?? [];
    if (written === undefined) continue;
    const key = written.trim().replace(/^(["'])(.*)\1$/, "$2");
    const column = indent.length + dashes.length;
    // A dash begins a new mapping, where another of the list may have been.
    open = open.filter((one) => one.column <= (dashes === "" ? column : indent.length));
    const mapping = open.find((one) => one.column === column);
    if (mapping?.keys.has(key)) return key;
    if (mapping) mapping.keys.add(key);
    else open.push({ column, keys: new Set([key]) });
  }
  return undefined;
};

/**
 * Reads one YAML document of plain data. Anchors and aliases are refused, whose merges make much of little; so are the
 * characters that begin them, for only a parser could tell them apart.
 * @throws Fault invalid_request
 */
export const parseYaml = (text: string): unknown => {
  const anchor = /[&*]/.exec(text)?.[0];
  if (anchor !== undefined)
    throw refusal(`it has the character ${quoted(anchor)}, and anchors and aliases are not taken`);
  const repeated = repeatedKey(text);
  if (repeated !== undefined)
    throw new Fault("invalid_request", `${quoted(repeated)}: appears twice in one mapping`);
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw refusal("nested too deeply");
    throw refusal(error.message.replace(/^YAML Parse error: /, ""));
  }
};

export const writeYaml = (value: unknown): string => `${Bun.YAML.stringify(value, null, 2)}\n`;
