import { readFileSync } from "node:fs";
import { ConfigError } from "../../config/setting.ts";
import { once } from "../../lib/lazy.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { ENVIRONMENT_PATH, SERVICE, UNIT_PATH, USER } from "./unit.ts";
import { hasSystemd } from "./systemd.ts";
import { readText } from "../../lib/files.ts";

/** A setting as the environment file shows it. */
export interface EnvironmentSetting {
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

/** The line that sets a variable, or else the comment that shows its default; -1 without either. */
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

interface Assignment {
  name: string;
  value: string;
  /** Counted from 1. */
  line: number;
}

// At the end of the file, an open quote closes, and a last backslash disappears.
const SINGLE = String.raw`'([^']*)(?:'|$)`;
const DOUBLE = String.raw`"((?:[^"\\]|\\[^])*)(?:"|\\?$)`;
const QUOTED = `(?:${SINGLE}|${DOUBLE})`;
/** A comment, an assignment with quoted parts and an unquoted rest, or a line that systemd ignores. */
const LINE = new RegExp(
  String.raw`[ \t]*(?:(?<comment>[#;][^\n\r]*)|(?<name>[^=\n\r]*?)[ \t]*=(?<quoted>(?:[ \t]*${QUOTED})*)[ \t]*(?<rest>(?:[^\\\n\r]|\\[^])*\\?)|[^\n\r]*)(?:[\n\r]|$)`,
  "gy",
);

/** In double quotes, a backslash escapes four characters and joins two lines. Before others it stays. */
const unescapeDouble = (text: string): string => text.replace(/\\(?:\n|(["\\`$]))/g, "$1");

const unquote = (text: string): string =>
  [...text.matchAll(new RegExp(QUOTED, "g"))]
    .map(([, single, double = ""]) => single ?? unescapeDouble(double))
    .join("");

/** Removes trailing spaces that are not escaped, then the backslashes and the line breaks that they join. */
const unescapePlain = (text: string): string =>
  (/^((?:[^\\]|\\[^]?)*?)[ \t]*$/.exec(text)?.[1] ?? text).replace(/\\(?:[\n\r]|([^])|$)/g, "$1");

/**
 * Reads an environment file as systemd does (systemd.exec(5), EnvironmentFile=). The last value of a variable counts.
 * @param path for errors @throws ConfigError about a comment that systemd before 254 continues on the next line
 */
export const readAssignments = (text: string, path = ENVIRONMENT_PATH): Assignment[] => {
  let [line, counted] = [1, 0];
  return [...text.matchAll(LINE)].flatMap(({ index, groups = {} }) => {
    const { comment, name, quoted = "", rest = "" } = groups as Partial<Record<string, string>>;
    line += text.slice(counted, index).split("\n").length - 1;
    counted = index;
    if (comment?.endsWith("\\"))
      throw new ConfigError(
        `${path}:${line}: a comment must not end in a backslash: some versions of systemd continue it on the next line`,
      );
    return name ? [{ name, value: unquote(quoted) + unescapePlain(rest), line }] : [];
  });
};

/** The variables that an environment file sets. @throws ConfigError */
export const readVariables = (text: string): Record<string, string> =>
  Object.fromEntries(readAssignments(text).map(({ name, value }) => [name, value]));

/** Reads the list that `systemctl show --property=Environment` prints. */
export const readShown = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/"((?:[^"\\]|\\[^])*)"|\S+/g)].map(([word, quoted]) => {
      const assignment = quoted === undefined ? word : unescapeDouble(quoted);
      const at = assignment.indexOf("=");
      return [assignment.slice(0, at), assignment.slice(at + 1)];
    }),
  );

/** True in a process of the service: it has the unit's environment already. */
export const isInUnit = (): boolean =>
  readText("/proc/self/cgroup")?.includes(`/${SERVICE}.service`) ?? false;

export class UnreadableSettings extends OperatorError {
  override name = "UnreadableSettings";
}

/** The text of an environment file; undefined if it is missing. @throws UnreadableSettings */
const readFile = (path: string, sudo: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code !== "EACCES") throw error;
    throw new UnreadableSettings(
      `Only root and the user ${USER} can read ${path}, the settings of the service. Run: ${sudo}`,
      { cause: error },
    );
  }
};

/** The environment and its files, as the unit and its drop-ins declare them. */
const declaredEnvironment = once((): { variables: Record<string, string>; files: string[] } => {
  const defaults = { variables: {}, files: [ENVIRONMENT_PATH] };
  if (!hasSystemd()) return defaults;
  const names = "Environment,EnvironmentFiles";
  const { success, stdout } = Bun.spawnSync(["systemctl", "show", SERVICE, `--property=${names}`]);
  if (!success) return defaults;
  const lines = stdout.toString().split("\n");
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  return {
    variables: readShown(valuesOf("Environment").join(" ")),
    files: valuesOf("EnvironmentFiles").map((line) => line.replace(/ \(ignore_errors=\w+\)$/, "")),
  };
});

/** A variable of an environment file, with the place that sets it. */
type Placed = Pick<Assignment, "name" | "value"> & { place: string };

const assignmentsOf = (path: string, sudo: string): Placed[] =>
  readAssignments(readFile(path, sudo) ?? "", path).map(({ name, value, line }) => ({
    name,
    value,
    place: `${path}:${line}`,
  }));

/**
 * Reads the environment of the unit: its files override its `Environment=` (systemd.exec(5)).
 * @param sudo the command to suggest to a user who may not read the files
 * @param check called with the variables of the files @throws UnreadableSettings, ConfigError, and what `check` throws
 */
export const readUnitEnvironment = (sudo: string, check: (assignments: Placed[]) => void) => {
  const { variables, files } = declaredEnvironment();
  const assignments = files.flatMap((path) => assignmentsOf(path, sudo));
  check(assignments);
  return {
    /** The variables that systemd passes to the service. */
    variables: { ...variables, ...Object.fromEntries(assignments.map(({ name, value }) => [name, value])) },
    /** The file and the line that set each variable; for one in the unit, the unit. */
    places: Object.fromEntries([
      ...Object.keys(variables).map((name) => [name, UNIT_PATH] as const),
      ...assignments.map(({ name, place }) => [name, place] as const),
    ]),
  };
};

export type UnitEnvironment = ReturnType<typeof readUnitEnvironment>;
