import { type Command, Option } from "commander";
import { type Client, readClient } from "../config/client.ts";
import { type Config, processSources, readConfig } from "../config/config.ts";
import { readSavedSettings } from "../config/saved-settings.ts";
import { SETTINGS, type Setting, type SettingName } from "../config/settings.ts";

/** `form` says nothing that the help of a directory does not say. */
const describe = ({ env, help, form, fallback }: Setting): string => {
  const parts = [form === "a directory" ? "" : form, `env ${env}`, fallback && `default ${fallback}`];
  return `${help} (${parts.filter((part) => part !== "").join("; ")})`;
};

/** Adds the flags of these settings to a command; by default of all. @param heading their heading in its help */
export const withSettings = (
  command: Command,
  names: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[],
  heading = "Settings:",
): Command => {
  for (const name of names) {
    const setting: Setting = SETTINGS[name];
    command.addOption(new Option(`--${setting.flag} <value>`, describe(setting)).helpGroup(heading));
  }
  return command;
};

/** The configuration from a command's flags and the environment. @throws ConfigError */
export const configOf = (options: Readonly<Record<string, unknown>>): Config =>
  readConfig(processSources(options as Record<string, string | undefined>));

/** `configOf` for a command beside a server: the server's settings replace the defaults. */
export const configBeside = (options: Readonly<Record<string, unknown>>): Config => {
  const { dataDir } = configOf(options);
  return readConfig(
    processSources(options as Record<string, string | undefined>, readSavedSettings(dataDir)),
  );
};

/** The server and key of a command that calls the API. @throws ConfigError */
export const clientOf = (options: Readonly<Record<string, unknown>>, config: Config): Client =>
  readClient(processSources(options as Record<string, string | undefined>), config);
