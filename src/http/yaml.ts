/** What a YAML body may be sent as: RFC 9512, and what was in use before it. */
export const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml"] as const;

/**
 * Reads one YAML document of plain data.
 * @throws Fault invalid_request
 */
export const parseYaml = async (text: string): Promise<unknown> => {
  // Loaded with the first YAML: the tokeniser takes 5 ms that a start need not wait for.
  const { assertPlain, refusal } = await import("./yaml-guard.ts");
  assertPlain(text);
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw refusal("nested too deeply");
    throw refusal(error.message.replace(/^YAML Parse error: /, ""));
  }
};

export const writeYaml = (value: unknown): string => `${Bun.YAML.stringify(value, null, 2)}\n`;
