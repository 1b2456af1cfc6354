import type { Setting } from "../../config/setting.ts";
import { SETTING_GROUPS } from "../../config/settings.ts";
import { capitalised, code, codes, parts, plain, table } from "./markdown.ts";

const row = ({ env, flag, fallback, choices, form, help }: Setting): string[] => [
  code(env),
  code(`--${flag}`),
  fallback === "" ? "" : code(fallback),
  choices ? codes(choices) : plain(form),
  plain(capitalised(help)),
];

/** All settings of the server, in the groups of its help. */
export const settingsTables = (): string =>
  parts(
    ...Object.entries(SETTING_GROUPS).map(([title, settings]) =>
      parts(
        `## ${title}`,
        table(["variable", "flag", "default", "form", "meaning"], Object.values(settings).map(row)),
      ),
    ),
  );
