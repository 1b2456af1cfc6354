import { type Command, Option } from "commander";
import { defaultConfigPath } from "../../config/file.ts";
import { type Setting, type SettingName, SETTINGS } from "../../config/settings.ts";
import { CONFIG_VARIABLE } from "../../config/sources.ts";

const SUGGESTED = new WeakMap<Option, readonly string[]>();

/** Adds values for shells to suggest. Unlike the `choices` of an option, they do not restrict it. */
export const withSuggestions = (option: Option, values: readonly string[]): Option => {
  SUGGESTED.set(option, values);
  return option;
};

export const suggestionsFor = (option: Option): readonly string[] =>
  option.argChoices ?? SUGGESTED.get(option) ?? [];

const describe = ({ env, help, fallback }: Setting): string =>
  `${help} (env ${env}${fallback === "" ? "" : `; default ${fallback}`})`;

/** The flag of a setting. A boolean that is true by default is shown as `--no-<flag>`. */
const settingOption = (name: SettingName): Option => {
  const setting: Setting = SETTINGS[name];
  if (setting.type !== "boolean")
    return withSuggestions(
      new Option(`--${setting.flag} <${setting.placeholder}>`, describe(setting)),
      setting.choices ?? [],
    );
  return setting.fallback === "true"
    ? new Option(`--no-${setting.flag}`, `do not ${describe(setting)}`)
    : new Option(`--${setting.flag}`, describe(setting));
};

/** The flags of a setting: of a boolean also the one that turns it back, which help does not show. */
export const settingOptions = (name: SettingName): Option[] => {
  const { type, flag, fallback }: Setting = SETTINGS[name];
  const shown = settingOption(name);
  if (type !== "boolean") return [shown];
  return [shown, new Option(fallback === "true" ? `--${flag}` : `--no-${flag}`).hideHelp()];
};

const HEADING = "Global options:";

/** Options that hold for all commands that read settings, before or after the command's name. */
export const addGlobalOptions = (root: Command, version: string): void => {
  root
    .optionsGroup(HEADING)
    .version(version, "-V, --version", "print the version")
    .addOption(settingOption("dataDir"))
    .addOption(
      new Option(
        "--config <file>",
        `configuration file (env ${CONFIG_VARIABLE}; default ${defaultConfigPath("DATA_DIR")}, if it exists)`,
      ),
    )
    .addHelpOption(new Option("-h, --help", "show this help").helpGroup(HEADING))
    // A command gets the global options with its own.
    .hook("preAction", (program, command) => {
      for (const [name, value] of Object.entries(program.opts()))
        command.setOptionValueWithSource(name, value, "cli");
    });
};

const WITHOUT_SETTINGS = new WeakSet<Command>();

/** Marks a command that reads no settings. Its help shows no global options. */
export const withoutSettings = (command: Command): Command => {
  WITHOUT_SETTINGS.add(command);
  return command;
};

/** True if the help of a command shows no global options: it reads no settings, or only groups others. */
export const hidesGlobals = (command: Command): boolean =>
  WITHOUT_SETTINGS.has(command) || command.commands.length > 0;
