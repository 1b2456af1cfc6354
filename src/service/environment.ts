import { OperatorError } from "../lib/operator-error.ts";

/** A setting as the environment file shows it. */
export interface EnvironmentSetting {
  /** The variable. */
  readonly env: string;
  readonly form: string;
  readonly fallback: string;
  readonly help: string;
}

const HEADER = `# Settings of the service adoption-store, one VARIABLE=value a line. Read adoption-store serve --help.
# After a change: systemctl restart adoption-store
# After a change of BACKUP_DIR: adoption-store service install, which lets the service write there`;

const PLAIN = /^[\w@%+=:,./[\]*~-]*$/;

/** A value as systemd.exec(5) reads it in an environment file. */
const quote = (value: string): string => {
  if (/[\n\r]/.test(value)) throw new OperatorError(`${JSON.stringify(value)}: a setting has one line`);
  return PLAIN.test(value) ? value : `"${value.replace(/["\\`$]/g, (character) => `\\${character}`)}"`;
};

const unquote = (text: string): string => {
  const value = text.trim();
  const [, double] = /^"(.*)"$/s.exec(value) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\`$])/g, "$1");
  const [, single] = /^'(.*)'$/s.exec(value) ?? [];
  return single ?? value.replace(/\\(.)/g, "$1");
};

const settingLines = ({ env, help, form, fallback }: EnvironmentSetting): string =>
  `# ${help} (${form})\n#${env}=${quote(fallback)}`;

/** A new environment file: every setting with its help and its default, as a comment. */
export const environmentTemplate = (
  groups: Readonly<Record<string, readonly EnvironmentSetting[]>>,
): string =>
  [
    HEADER,
    ...Object.entries(groups).map(
      ([heading, settings]) => `## ${heading}\n\n${settings.map(settingLines).join("\n\n")}`,
    ),
  ].join("\n\n") + "\n";

/** The line that sets a variable, or else the comment that shows its default; -1 if there is none. */
const lineOf = (lines: readonly string[], name: string): number => {
  const set = lines.findLastIndex((line) => line.startsWith(`${name}=`));
  return set >= 0 ? set : lines.findIndex((line) => line.startsWith(`#${name}=`));
};

/** Sets variables in an environment file. All other lines stay as they are. */
export const setVariables = (text: string, values: Readonly<Record<string, string>>): string => {
  const lines = text.replace(/\n$/, "").split("\n");
  for (const [name, value] of Object.entries(values)) {
    const at = lineOf(lines, name);
    const line = `${name}=${quote(value)}`;
    if (at < 0) lines.push(line);
    else lines[at] = line;
  }
  return `${lines.join("\n")}\n`;
};

/** The variables that an environment file sets. */
export const readVariables = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, unquote(value ?? "")]];
    }),
  );
