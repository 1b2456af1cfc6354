import { resolve } from "node:path";
import { type Environment, settingText, type Sources } from "../config/sources.ts";
import { shellQuoted } from "../data/data-dir/shell.ts";
import { STORAGE } from "../config/settings.ts";
import { NoDatabase } from "../data/data-dir/checks.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { sentence } from "../lib/text.ts";
import { SERVICE, STATE_DIRECTORY, ENVIRONMENT_PATH, UNIT_PATH, USER } from "../operate/service/unit.ts";
import { type StoppedService, isInstalled, stoppedService } from "../operate/service/systemd.ts";
import {
  readUnitEnvironment,
  isInUnit,
  readAssignments,
  UnreadableSettings,
} from "../operate/service/environment.ts";
import { constants, existsSync } from "node:fs";
import { type Client, readClient } from "../config/client.ts";
import {
  type Config,
  ConfigError,
  processEnvironment,
  processSources,
  readConfig,
} from "../config/config.ts";
import { configFileWarning, defaultConfigPath } from "../config/file.ts";
import { boolean } from "../config/parse.ts";
import { type Setting, SETTINGS } from "../config/settings.ts";
import { readSavedSettings } from "../config/shared-settings.ts";
import { assertKnownVariables, findTypos, typoWarning } from "../config/typos.ts";
import { adminKeyPath, databasePath } from "../data/data-dir/paths.ts";
import { sudoCommand } from "../data/data-dir/shell.ts";
import { isAllowed, readText } from "../lib/files.ts";
import { note } from "./print/output.ts";
import { attempt } from "../lib/attempt.ts";

const readVariables = () => readUnitEnvironment("", () => {}).variables;

/** The DATA_DIR that the service's settings name; undefined if they cannot be read. */
export const serviceDirectory = (read: () => Environment = readVariables): string | undefined =>
  attempt(() => resolve(STATE_DIRECTORY, settingText("dataDir", { flags: {}, env: read() }).text));

/** True for the DATA_DIR of the service; for its default directory if this user may not read the service's settings. */
export const isServiceDirectory = (dataDir: string, read?: () => Environment): boolean =>
  resolve(dataDir) === (serviceDirectory(read) ?? STATE_DIRECTORY);

const isServiceStore = (dataDir: string): boolean => isInstalled() && isServiceDirectory(dataDir);

/** The service of a store, if it has failed or is stopped. */
export const serviceOf = async (dataDir: string): Promise<StoppedService | undefined> =>
  isServiceStore(dataDir) ? stoppedService() : undefined;

/** Why the service does not run, with its own last message, and the remedy. */
export const describeStopped = ({ result, line }: StoppedService): string => {
  if (result === undefined) return `The service is stopped. Start it: sudo systemctl start ${SERVICE}`;
  const reason =
    line === undefined
      ? `Its log shows why: sudo journalctl --unit ${SERVICE}.`
      : sentence(`Its last message: ${line}`);
  return `The service has failed (${result}). ${reason} Correct the cause, then run: sudo systemctl restart ${SERVICE}`;
};

/** The next steps after an installation that starts nothing. */
export const describeUnstarted = ({
  isRunning,
  isChanged,
}: Record<"isRunning" | "isChanged", boolean>): string => {
  const installed = `The service ${SERVICE} is installed`;
  if (!isRunning)
    return `${installed}, and starts at boot. To start it now:\n  sudo systemctl start ${SERVICE}`;
  return isChanged
    ? `${installed}, and runs with its previous settings. To restart it now:\n  sudo systemctl restart ${SERVICE}`
    : `Nothing changed. ${installed} and running.`;
};

const CREATION = `creates it when it first starts. Run: sudo systemctl start ${SERVICE}`;

/** The command that serves a store: without the directory, it would serve ./data. */
export const serveCommand = (dataDir: string): string =>
  resolve(dataDir) === resolve(STORAGE.dataDir.fallback)
    ? "adoption-store serve"
    : `adoption-store serve --data-dir ${shellQuoted(dataDir)}`;

/** Which program creates the store that a DATA_DIR does not have yet. */
export const creationAdvice = (dataDir: string): string =>
  isServiceStore(dataDir) ? `the service ${CREATION}` : `${serveCommand(dataDir)} creates it`;

/** An error about a missing database names the service if the service creates that database. */
export const withServiceAdvice = (error: unknown): unknown =>
  error instanceof NoDatabase && isServiceStore(error.dataDir)
    ? new OperatorError(`DATA_DIR ${error.dataDir} has no database yet. The service ${CREATION}`, {
        cause: error,
      })
    : error;

const isUnreadable = (directory: string): boolean =>
  existsSync(directory) && !isAllowed(directory, constants.X_OK);

/** True for a directory with a store, or with the settings of one that `serve` will create. An unreadable one may have both. */
const isStore = (dataDir: string): boolean =>
  isUnreadable(dataDir) ||
  [databasePath(dataDir), adminKeyPath(dataDir), defaultConfigPath(dataDir)].some((path) => existsSync(path));

/**
 * The sources of the service's settings. Flags and the environment of this process override them.
 * @param named the DATA_DIR of the service, if the environment or a file names it
 * @throws ConfigError
 */
const serviceSources = (flags: Sources["flags"], named?: string): Sources => {
  const unit = readUnitEnvironment(sudoCommand(USER, named), assertKnownVariables);
  const { text, origin } = settingText("dataDir", { flags: {}, env: unit.variables, places: unit.places });
  // The unit's working directory.
  const dataDir = resolve(STATE_DIRECTORY, text);
  return processSources(flags, {
    variables: { ...unit.variables, DATA_DIR: dataDir },
    places: { ...unit.places, DATA_DIR: origin === "default" ? UNIT_PATH : origin },
  });
};

let isNoted = false;

/** Reports the choice once: a command may read its settings several times. */
const noteService = (sources: Sources): void => {
  if (isNoted) return;
  isNoted = true;
  const { text, origin } = settingText("dataDir", sources);
  note(`using the store of the service ${SERVICE}, ${text} (${origin})`);
};

/** The store of a command whose settings cannot be read. */
const selectedDirectory = (flags: Sources["flags"]): string => {
  const { text, kind } = settingText("dataDir", { flags, env: processEnvironment() });
  const isOfService = kind === "default" && !isStore(text) && existsSync(UNIT_PATH);
  return isOfService ? (serviceDirectory() ?? STATE_DIRECTORY) : text;
};

/**
 * Selects the store of a command, and with it the sources of its settings: the DATA_DIR that a flag, a variable or a file names;
 * else the store in the working directory; else that of the installed service. Without any of them, DATA_DIR keeps its default.
 * The settings of the service apply to its store, even if a flag names it.
 * @param onService called with the sources of the service, if they are selected
 * @throws ConfigError; UnreadableSettings
 */
export const selectedSources = (
  flags: Sources["flags"],
  onService: (sources: Sources) => void = noteService,
): Sources => {
  const own = processSources(flags);
  const { text, kind } = settingText("dataDir", own);
  if (isInUnit() || !existsSync(UNIT_PATH)) return own;
  if (kind !== "default") return isServiceDirectory(text) ? serviceSources(flags, text) : own;
  if (isStore(text)) return own;
  const sources = serviceSources(flags);
  onService(sources);
  return sources;
};

/**
 * `selectedSources` for a command that works without a store, such as a client of another machine's server: a user who may not
 * read the service's settings keeps their own. @throws ConfigError
 */
const availableSources = (flags: Sources["flags"]): Sources => {
  try {
    return selectedSources(flags);
  } catch (error) {
    if (error instanceof UnreadableSettings) return processSources(flags);
    throw error;
  }
};

/** Checks the environment file of the service for unknown names, if this process may read it. @throws ConfigError */
const assertUnitVariables = (): void => {
  assertKnownVariables(
    readAssignments(readText(ENVIRONMENT_PATH) ?? "").map(({ name, line }) => ({
      name,
      place: `${ENVIRONMENT_PATH}:${line}`,
    })),
  );
};

/** The sources of a server. It creates the store that it does not find, so it selects no other. @throws ConfigError */
export const serverSources = (flags: Sources["flags"]): Sources => {
  if (isInUnit()) assertUnitVariables();
  return processSources(flags);
};

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
export const effectiveConfig = (options: Options): Config => readConfig(effectiveSources(options));

/** The sources of a command that may run next to a server. @throws ConfigError */
export const effectiveSources = (options: Options): Sources => withSaved(sourcesOf(options));

/** `effectiveConfig` for a command that works without a store. @throws ConfigError */
export const availableConfig = (options: Options): Config =>
  readConfig(withSaved(availableSources(flagsOf(options))));

/**
 * `effectiveSources` for a command that reports invalid settings: it continues with those of the last server. `fault` names the
 * invalid one. @throws ConfigError for a wrong flag
 */
export const reportedSources = (options: Options): { sources: Sources; fault?: string } => {
  try {
    const sources = effectiveSources(options);
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
