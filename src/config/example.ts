import { keyOf } from "./file.ts";
import { SETTING_GROUPS, type Setting } from "./settings.ts";

const HEAD = `# Settings of adoption-store. To set one, remove the # before its line.
# Save this file as DATA_DIR/adoption-store.toml, or name it with --config.
# Only the user of the server should be able to read it: chmod 600.
`;

/** A setting's default, or its example, as TOML. */
const valueOf = ({ type, fallback, example = "" }: Setting): string => {
  const text = fallback === "" ? example : fallback;
  if (type === "boolean" || type === "number" || type === "count") return text;
  return JSON.stringify(type === "list" ? text.split(",") : text);
};

const linesOf = (setting: Setting): string[] => [
  "",
  `# ${setting.help}`,
  `# ${keyOf(setting)} = ${valueOf(setting)}`,
];

/** A configuration file with every setting as a comment. */
export const exampleFile = (): string => {
  const sections = Object.entries(SETTING_GROUPS).map(([heading, settings]) =>
    [
      `## ${heading}`,
      // The file is found by it.
      ...Object.entries(settings).flatMap(([name, setting]) => (name === "dataDir" ? [] : linesOf(setting))),
    ].join("\n"),
  );
  return [HEAD, ...sections].join("\n");
};
