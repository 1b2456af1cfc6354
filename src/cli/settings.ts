import { type Command, Option } from "commander";
import { type Client, readClient } from "../config/client.ts";
import { type Config, processSources, readConfig } from "../config/config.ts";
import { readSavedSettings } from "../config/saved-settings.ts";
import { SETTINGS, type Setting, type SettingName } from "../config/settings.ts";

const describe = ({ env, help, form, fallback }: Setting): string =>
  `${help}: ${form} (env ${env}${fallback === "" ? "" : `, default ${fallback}`})`;

/** Gives a command the flags of these settings; without names, of all. @param heading over them in its help */
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

/** The configuration that a command was called with. @throws ConfigError */
export const configOf = (options: Readonly<Record<string, unknown>>): Config =>
  readConfig(processSources(options as Record<string, string | undefined>));

/** The same for a command beside a server, whose settings count where neither flags nor the environment say otherwise. */
export const configBeside = (options: Readonly<Record<string, unknown>>): Config => {
  const { dataDir } = configOf(options);
  return readConfig(
    processSources(options as Record<string, string | undefined>, readSavedSettings(dataDir)),
  );
};

/** How the command reaches a server. @throws ConfigError */
export const clientOf = (options: Readonly<Record<string, unknown>>, config: Config): Client =>
  readClient(processSources(options as Record<string, string | undefined>), config);
