import { Command } from "commander";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { exampleFile, keyOf } from "../config/file.ts";
import { SETTINGS, type Setting, type SettingName } from "../config/settings.ts";
import { type Sources, settingText } from "../config/sources.ts";
import type { BlobsUrl } from "../lib/blobs-url.ts";
import type { DatabaseUrl } from "../lib/database-url.ts";
import { withoutSettings } from "./help/options.ts";
import { withExamples, withTexts } from "./help/texts.ts";
import { note, print, printList } from "./print/output.ts";
import { describeStopped, serviceOf } from "./service-state.ts";
import { sourcesBeside, withSettings } from "./settings.ts";

const NAMES = Object.keys(SETTINGS) as SettingName[];
const HIDDEN = "(hidden)";

/** What may be shown of a setting's value; a URL with a password or a key is a secret. */
type Shown = Exclude<ReturnType<typeof readConfig>[SettingName], BlobsUrl | DatabaseUrl | undefined> | null;

/** A setting with its value, as JSON has it. */
const rowsOf = (sources: Sources, config: Partial<Config>) =>
  NAMES.map((name) => {
    const setting: Setting = SETTINGS[name];
    const { text, kind, origin } = settingText(name, sources);
    const value: Shown = setting.isSecret && text !== "" ? HIDDEN : ((config[name] ?? null) as Shown);
    return {
      setting: keyOf(setting),
      variable: setting.env,
      value,
      /** As it was written, with its unit. */
      text: value === HIDDEN || typeof value === "boolean" ? String(value) : text || String(value ?? ""),
      source: kind,
      origin,
    };
  });

/** The configuration, or the error of an invalid setting. */
const parseConfig = (sources: Sources): { config: Partial<Config>; fault?: ConfigError } => {
  try {
    return { config: readConfig(sources) };
  } catch (error) {
    if (error instanceof ConfigError) return { config: {}, fault: error };
    throw error;
  }
};

const showCommand = () =>
  withSettings(
    withExamples(new Command("show"), ["Show all settings", "adoption-store config show"])
      .description("print all settings, and where each comes from")
      .option("--json", "print JSON"),
    [],
    NAMES,
  ).action(async (options: { json?: boolean }) => {
    const sources = sourcesBeside(options);
    const { config, fault } = parseConfig(sources);
    printList(
      rowsOf(sources, config),
      {
        SETTING: ({ setting }) => setting,
        VALUE: ({ text }) => text || "-",
        "COMES FROM": ({ origin }) => origin,
      },
      { json: options.json, empty: "" },
    );
    const service = await serviceOf(settingText("dataDir", sources).text);
    if (service?.result !== undefined) note(describeStopped(service));
    if (fault) throw fault;
  });

const exampleCommand = () =>
  withoutSettings(
    withExamples(new Command("example"), [
      "Begin a configuration file",
      "adoption-store config example > adoption-store.toml",
    ]).description("print a configuration file with all settings, their defaults and their meaning"),
  ).action(() => print(exampleFile()));

const NOTES = [
  'A configuration file is written in TOML, with one line for each setting, such as base_url = "https://adopt.example.org". A setting\'s name is its environment variable in lower case. The file is DATA_DIR/adoption-store.toml, or the one that --config names.',
  "A flag overrides the environment, and the environment overrides the file. For the store of the installed service, its environment file comes between the environment and the file.",
];

export const configCommand = (): Command =>
  withTexts(
    new Command("config")
      .summary("show the settings and where they come from")
      .description("show the settings, and write a configuration file")
      .addCommand(showCommand())
      .addCommand(exampleCommand()),
    { notes: NOTES },
  );
