import { type Command, Option } from "commander";
import { defaultConfigPath } from "../../config/file.ts";
import { CONFIG_VARIABLE } from "../../config/sources.ts";
import { settingOption } from "./setting-option.ts";

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
