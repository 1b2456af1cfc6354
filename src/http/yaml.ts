import { Fault } from "./faults.ts";
import { quoted } from "./json.ts";

/** What a YAML body may be sent as: RFC 9512, and what was in use before it. */
export const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml"] as const;

const refusal = (reason: string) => new Fault("invalid_request", `The body is not valid YAML: ${reason}.`);

/**
 * Reads one YAML document of plain data. Anchors and aliases are refused, whose merges make much of little; so are the
 * characters that begin them, for only a parser could tell them apart.
 * @throws Fault invalid_request
 */
export const parseYaml = (text: string): unknown => {
  const anchor = /[&*]/.exec(text)?.[0];
  if (anchor !== undefined)
    throw refusal(`it has the character ${quoted(anchor)}, and anchors and aliases are not taken`);
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw refusal("nested too deeply");
    throw refusal(error.message.replace(/^YAML Parse error: /, ""));
  }
};

export const writeYaml = (value: unknown): string => `${Bun.YAML.stringify(value, null, 2)}\n`;
