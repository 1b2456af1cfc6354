import { type Client, readClient } from "../config/client.ts";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { configFileWarning } from "../config/file.ts";
import { boolean } from "../config/parse.ts";
import { readSavedSettings } from "../config/shared-settings.ts";
import { type Setting, SETTINGS } from "../config/settings.ts";
import { settingText, type Sources } from "../config/sources.ts";
import { findTypos, typoWarning } from "../config/typos.ts";
import { availableSources, selectedDirectory, selectedSources } from "./store.ts";

const BOOLEANS: ReadonlySet<string> = new Set(
  Object.values(SETTINGS as Record<string, Setting>)
    .filter(({ type }) => type === "boolean")
    .map(({ flag }) => `--${flag}`),
);

const flagFor = (flag: string, value: boolean): string => (value ? flag : flag.replace(/^--/, "--no-"));

/**
 * Writes the boolean settings of a command line as bare flags: `--console=false` and `--console false` as `--no-console`. The
 * parser would take a value without `=` from whatever follows, such as a file's name.
 * @throws ConfigError
 */
export const withBareBooleans = (argv: readonly string[]): string[] => {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const bare: string[] = [];
  for (let at = 0; at < end; at++) {
    const argument = argv[at] ?? "";
    const [flag = "", text] = argument.split(/=(.*)/s);
    if (!BOOLEANS.has(flag)) bare.push(argument);
    else if (text !== undefined) {
      const value = boolean(text);
      if (value === undefined)
        throw new ConfigError(`${flag}: ${JSON.stringify(text)} must be true or false`);
      bare.push(flagFor(flag, value));
    } else {
      const value = boolean(argv[at + 1] ?? "");
      if (value !== undefined) at++;
      bare.push(flagFor(flag, value ?? true));
    }
  }
  return [...bare, ...argv.slice(end)];
};

/** Options of a command, as Commander returns them. Those that are not settings are ignored. */
type Options = Readonly<Record<string, unknown>>;

const flagsOf = (options: Options): Sources["flags"] => options as Sources["flags"];

/** The sources of a command's settings. @throws ConfigError */
const sourcesOf = (options: Options): Sources => selectedSources(flagsOf(options));

/** The configuration of a command. @throws ConfigError */
export const configOf = (options: Options): Config => readConfig(sourcesOf(options));

const withSaved = (sources: Sources): Sources => ({
  ...sources,
  saved: readSavedSettings(settingText("dataDir", sources).text),
});

/** `configOf` for a command that may run next to a server: the server's settings replace the defaults. */
export const configBeside = (options: Options): Config => readConfig(sourcesBeside(options));

/** The sources of a command that may run next to a server. @throws ConfigError */
export const sourcesBeside = (options: Options): Sources => withSaved(sourcesOf(options));

/** `configBeside` for a command that works without a store. @throws ConfigError */
export const availableConfig = (options: Options): Config =>
  readConfig(withSaved(availableSources(flagsOf(options))));

/**
 * `sourcesBeside` for a command that reports invalid settings: it continues with those of the last server. `fault` names the
 * invalid one. @throws ConfigError for a wrong flag
 */
export const reportedSources = (options: Options): { sources: Sources; fault?: string } => {
  try {
    const sources = sourcesBeside(options);
    readConfig(sources);
    return { sources };
  } catch (error) {
    if (!(error instanceof ConfigError) || error.message.startsWith("--")) throw error;
    const dataDir = selectedDirectory(flagsOf(options));
    const saved = readSavedSettings(dataDir);
    return { sources: { flags: { dataDir }, env: {}, saved, isTerminal: false }, fault: error.message };
  }
};

/** Warnings about the settings: misspelled variables, and a file with a secret that others may read. */
export const settingWarnings = ({ env, file }: Sources): string[] => {
  const warning = file && configFileWarning(file);
  return [...findTypos(env).map(typoWarning), ...(warning === undefined ? [] : [warning])];
};

/** The server and key of a command that calls the API. @throws ConfigError */
export const clientOf = (options: Options, config: Config): Client =>
  readClient(availableSources(flagsOf(options)), config);
