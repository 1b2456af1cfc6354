import { Option } from "commander";
import { withSuggestions } from "./suggested.ts";
import { SETTINGS, type Setting, type SettingName } from "../../config/settings.ts";

const describe = ({ env, help, fallback }: Setting): string =>
  `${help} (env ${env}${fallback === "" ? "" : `; default ${fallback}`})`;

/** The flag of a setting. A boolean that is true by default is shown as `--no-<flag>`. */
export const settingOption = (name: SettingName): Option => {
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
