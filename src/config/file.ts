import { existsSync, readSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { reasonOf } from "../lib/reason.ts";
import { ConfigError } from "./setting.ts";
import { type Setting, type SettingName, SETTING_GROUPS, SETTING_NAMES, SETTINGS } from "./settings.ts";
import { closest } from "./similar.ts";
import { attempt } from "../lib/attempt.ts";
import { withFile } from "../lib/files.ts";

export interface ConfigFile {
  path: string;
  /** The text of each setting in the file, in the form that its flag takes. */
  entries: Readonly<Partial<Record<SettingName, FileEntry>>>;
}

interface FileEntry {
  text: string;
  /** The file and the line: `adoption-store.toml:3`. */
  place: string;
}

const FILE_NAME = "adoption-store.toml";
/** A file with all settings and comments has 5 kB. */
const MAX_BYTES = 2 ** 16;
/** The permissions of the group and of others to read. */
const READABLE_BY_OTHERS = 0o044;

/** The file that is read without `--config`. */
export const defaultConfigPath = (dataDir: string): string => join(dataDir, FILE_NAME);

/** The key of a setting in a file: its variable in lower case. */
export const keyOf = ({ env }: Setting): string => env.toLowerCase();

const NAMES = new Map(SETTING_NAMES.map((name) => [keyOf(SETTINGS[name]), name]));

const isText = (value: unknown): value is string => typeof value === "string";
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

const textOrInteger = (value: unknown): string | undefined =>
  isText(value) || isInteger(value) ? String(value) : undefined;

/** The text of a TOML value; undefined if its type is not that of the setting. */
const TEXT_OF: Readonly<Record<Setting["type"], (value: unknown) => string | undefined>> = {
  boolean: (value) => (typeof value === "boolean" ? String(value) : undefined),
  number: (value) => (isInteger(value) ? String(value) : undefined),
  count: textOrInteger,
  size: textOrInteger,
  list: (value) => (Array.isArray(value) && value.every(isText) ? value.join(",") : undefined),
  text: (value) => (isText(value) ? value : undefined),
};

const FORMS: Readonly<Record<Setting["type"], string>> = {
  boolean: "true or false, without quotes",
  number: "a whole number, without quotes",
  count: "a whole number, or auto in quotes",
  size: "a number of bytes, or a size in quotes",
  list: 'a list of texts, such as ["a", "b"]',
  text: "a text in quotes",
};

/** The line that sets a key; undefined if it is not found, because it is quoted or in a table. */
const lineOf = (text: string, key: string): number | undefined => {
  const at = text.split("\n").findIndex((line) => line.replace(/^\s*\[?\s*/, "").startsWith(key));
  return at < 0 ? undefined : at + 1;
};

const isToml = (text: string): boolean => attempt(() => Bun.TOML.parse(text)) !== undefined;

/** The line after the longest valid start of a file: the parser does not report a position. */
const faultyLine = (text: string): number => {
  const lines = text.split("\n");
  return lines.findLastIndex((_, index) => isToml(lines.slice(0, index).join("\n"))) + 1;
};

const parseToml = (path: string, text: string): Record<string, unknown> => {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    // The parser quotes the value, which may be a secret.
    const reason = reasonOf(error).replace(/^TOML Parse error: |: ".*$/gs, "");
    throw new ConfigError(
      `${path}:${faultyLine(text)}: ${reason}: correct this line. An example is port = 3000`,
    );
  }
};

const unknownKey = (place: string, key: string, value: unknown): ConfigError => {
  if (typeof value === "object" && !Array.isArray(value))
    return new ConfigError(`${place}: tables are not used: write the settings without [${key}]`);
  const suggestion = closest(key, [...NAMES.keys()]);
  return new ConfigError(
    `${place}: there is no setting ${JSON.stringify(key)}: ${suggestion === undefined ? "adoption-store config example lists all" : `did you mean ${suggestion}?`}`,
  );
};

const isPath = ({ placeholder }: Setting): boolean => placeholder === "directory" || placeholder === "file";

/** @throws ConfigError that names the line and what to do */
export const parseConfigFile = (path: string, text: string): ConfigFile => {
  const entries: Partial<Record<SettingName, FileEntry>> = {};
  for (const [key, value] of Object.entries(parseToml(path, text))) {
    const line = lineOf(text, key);
    const place = line === undefined ? path : `${path}:${line}`;
    const name = NAMES.get(key);
    if (name === undefined) throw unknownKey(place, key, value);
    const setting: Setting = SETTINGS[name];
    const parsed = TEXT_OF[setting.type](value);
    if (parsed === undefined)
      throw new ConfigError(`${place}: ${key} must be ${FORMS[setting.type]} (${setting.form})`);
    // Commands may run in another directory than the server.
    const isRelative = isPath(setting) && parsed !== "";
    entries[name] = {
      text: isRelative ? resolve(dirname(path), parsed) : parsed,
      place,
    };
  }
  return { path, entries };
};

/** The start of a file, one byte longer than allowed at most: a device or a pipe may never end. */
const readStart = (path: string): Buffer =>
  withFile(path, "r", (file) => {
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  });

const readText = (path: string): string => {
  try {
    const bytes = readStart(path);
    if (bytes.length <= MAX_BYTES) return bytes.toString("utf8");
  } catch (error) {
    throw new ConfigError(
      `the configuration file ${path} cannot be read (${reasonOf(error)}): check --config and the permissions of the file`,
    );
  }
  throw new ConfigError(`the configuration file ${path} is larger than 64 KiB: name another with --config`);
};

/** Reads the file that `--config` names. @throws ConfigError */
export const readConfigFile = (path: string): ConfigFile => parseConfigFile(path, readText(path));

/** Reads the file in DATA_DIR; undefined if it is missing. @throws ConfigError */
export const readDefaultConfigFile = (dataDir: string): ConfigFile | undefined => {
  const path = defaultConfigPath(dataDir);
  if (!existsSync(path)) return undefined;
  const file = readConfigFile(path);
  const { dataDir: moved } = file.entries;
  if (moved)
    throw new ConfigError(
      `${moved.place}: data_dir cannot be set here, because the file is found by it: remove the line, and set DATA_DIR or --data-dir`,
    );
  return file;
};

/** Warns if other users may read a secret in the file; undefined if all is well. */
export const configFileWarning = ({ path, entries }: ConfigFile): string | undefined => {
  const secret = (Object.keys(entries) as SettingName[]).find((name) => (SETTINGS[name] as Setting).isSecret);
  if (secret === undefined || (statSync(path).mode & READABLE_BY_OTHERS) === 0) return undefined;
  return `${path} contains ${keyOf(SETTINGS[secret])}, and other users may read the file: run chmod 600 ${path}`;
};

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
