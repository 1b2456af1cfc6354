/** The media types of a YAML body: the one of RFC 9512, and two that predate it. */
export const YAML_TYPES = ["application/yaml", "application/x-yaml", "text/yaml"] as const;

/**
 * Reads one YAML document of plain data.
 * @throws Fault invalid_request
 */
export const parseYaml = async (text: string): Promise<unknown> => {
  // Imported for the first YAML body, because loading the tokeniser takes 5 ms of the start.
  const { assertPlainYaml, yamlFault } = await import("./yaml-guard.ts");
  assertPlainYaml(text);
  try {
    return Bun.YAML.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw yamlFault("nested too deeply");
    throw yamlFault(error.message.replace(/^YAML Parse error: /, ""));
  }
};

export const writeYaml = (value: unknown): string => `${Bun.YAML.stringify(value, null, 2)}\n`;
