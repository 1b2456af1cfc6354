import type { Setting } from "../../../config/setting.ts";
import { SETTING_GROUPS } from "../../../config/settings.ts";
import { METRICS } from "../../../http/metrics.ts";
import { code, codes, parts, plain, table } from "./markdown.ts";

/** The values that a setting allows are code in its help too. */
const withChoices = (help: string, choices: readonly string[]): string =>
  choices.length === 0
    ? help
    : help.replaceAll(new RegExp(String.raw`\b(?:${choices.join("|")})\b`, "g"), code("$&"));

const settingRow = ({ env, flag, fallback, choices, form, help }: Setting): string[] => [
  code(env),
  code(`--${flag}`),
  fallback === "" ? "" : code(fallback),
  choices ? codes(choices) : plain(form),
  withChoices(plain(help), choices ?? []),
];

/** All settings of the server, in the groups of its help. */
export const settingsTables = (): string =>
  parts(
    ...Object.entries(SETTING_GROUPS).map(([title, settings]) =>
      parts(
        `## ${title}`,
        table(["variable", "flag", "default", "form", "meaning"], Object.values(settings).map(settingRow)),
      ),
    ),
  );

export const metricsTable = (): string =>
  table(
    ["metric", "type", "labels", "meaning"],
    Object.entries(METRICS).map(([name, { type, labels, help }]) => [
      code(name),
      type,
      codes(labels),
      plain(help),
    ]),
  );
