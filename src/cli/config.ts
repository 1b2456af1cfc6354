import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { exampleFile, keyOf } from "../config/file.ts";
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from "../config/settings.ts";
import { type Sources, settingText } from "../config/sources.ts";
import type { BlobsUrl } from "../lib/blobs-url.ts";
import type { DatabaseUrl } from "../lib/database-url.ts";
import { command, group } from "./command.ts";
import { type Columns, listText, note, print, printJson } from "./print/output.ts";
import { describeStopped, serviceOf, effectiveSources } from "./settings.ts";

const HIDDEN = "(hidden)";

/** What may be shown of a setting's value; a URL with a password or a key is a secret. */
type Shown = Exclude<ReturnType<typeof readConfig>[SettingName], BlobsUrl | DatabaseUrl | undefined> | null;

/** A setting with its value, as JSON has it. */
const rowsOf = (sources: Sources, config: Partial<Config>) =>
  SETTING_NAMES.map((name) => {
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

const COLUMNS: Columns<ReturnType<typeof rowsOf>[number]> = {
  SETTING: ({ setting }) => setting,
  VALUE: ({ text }) => text || "-",
  "COMES FROM": ({ origin }) => origin,
};

const parseConfig = (sources: Sources): { config: Partial<Config>; fault?: ConfigError } => {
  try {
    return { config: readConfig(sources) };
  } catch (error) {
    if (error instanceof ConfigError) return { config: {}, fault: error };
    throw error;
  }
};

const showSettings = command({
  name: "show",
  description: "print all settings, and where each comes from",
  takes: { "--json": "print JSON" },
  hiddenSettings: SETTING_NAMES,
  examples: { "Show all settings": "" },
  async run({ json, ...flags }) {
    const sources = effectiveSources(flags);
    const { config, fault } = parseConfig(sources);
    const rows = rowsOf(sources, config);
    if (json) printJson(rows);
    else print(listText(rows, COLUMNS, ""));
    const service = await serviceOf(settingText("dataDir", sources).text);
    if (service?.result !== undefined) note(describeStopped(service));
    if (fault) throw fault;
  },
});

const printExample = command({
  name: "example",
  description: "print a configuration file with all settings, their defaults and their meaning",
  isIndependent: true,
  examples: { "Begin a configuration file": "> adoption-store.toml" },
  run: () => print(exampleFile()),
});

export const configCommand = group({
  name: "config",
  summary: "show the settings and where they come from",
  description: "show the settings, and write a configuration file",
  commands: [showSettings, printExample],
  notes: [
    'A configuration file is written in TOML, with one line for each setting, such as base_url = "https://adopt.example.org". A setting\'s name is its environment variable in lower case. The file is DATA_DIR/adoption-store.toml, or the one that --config names.',
    "A flag overrides the environment, and the environment overrides the file. For the store of the installed service, its environment file comes between the environment and the file.",
  ],
});
