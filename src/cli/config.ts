import { Command } from "commander";
import { readConfig } from "../config/config.ts";
import { exampleFile } from "../config/example.ts";
import { keyOf } from "../config/file.ts";
import { SETTINGS, type Setting, type SettingName } from "../config/settings.ts";
import { type Sources, settingText } from "../config/sources.ts";
import type { BlobsUrl } from "../lib/blobs-url.ts";
import type { DatabaseUrl } from "../lib/database-url.ts";
import { withoutSettings } from "./help/globals.ts";
import { withExamples, withTexts } from "./help/texts.ts";
import { printList } from "./print/list.ts";
import { print } from "./print/output.ts";
import { sourcesBeside, withSettings } from "./settings.ts";

const NAMES = Object.keys(SETTINGS) as SettingName[];
const HIDDEN = "(hidden)";

/** What may be shown of a setting's value; a URL with a password or a key is a secret. */
type Shown = Exclude<ReturnType<typeof readConfig>[SettingName], BlobsUrl | DatabaseUrl | undefined> | null;

/** A setting with its value, as JSON has it. */
const rowsOf = (sources: Sources) => {
  const config = readConfig(sources);
  return NAMES.map((name) => {
    const setting: Setting = SETTINGS[name];
    const { text, kind, origin } = settingText(name, sources);
    const value: Shown = setting.isSecret && text !== "" ? HIDDEN : ((config[name] ?? null) as Shown);
    return {
      setting: keyOf(setting),
      variable: setting.env,
      value,
      /** As it was written, with its unit. */
      text: value === HIDDEN || setting.type === "boolean" ? String(value) : text || String(value ?? ""),
      source: kind,
      origin,
    };
  });
};

const showCommand = () =>
  withSettings(
    withExamples(
      new Command("show"),
      ["Show all settings", "adoption-store config show"],
      ["Show those of a service", "adoption-store config show --data-dir /var/lib/adoption-store"],
    )
      .description("print all settings, and where each comes from")
      .option("--json", "print JSON"),
    [],
    NAMES,
  ).action((options: { json?: boolean }) => {
    printList(
      rowsOf(sourcesBeside(options)),
      {
        SETTING: ({ setting }) => setting,
        VALUE: ({ text }) => text || "-",
        "COMES FROM": ({ origin }) => origin,
      },
      { json: options.json, empty: "" },
    );
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
  "A flag overrides the environment, and the environment overrides the file.",
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
