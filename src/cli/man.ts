import type { Argument, Command, Option } from "commander";
import { keyOf } from "../config/file.ts";
import { SETTING_GROUPS, type Setting } from "../config/settings.ts";
import { CONFIG_VARIABLE, PREFIX } from "../config/sources.ts";
import { argumentUsage, HELP, sentence } from "./help.ts";
import { EXIT_CODES, examplesOf, fullName, textsOf } from "./command.ts";

/** Text as roff takes it: no line begins with a control character, and hyphens can be copied. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`;

const section = (title: string): string => `.SH ${escaped(title)}`;
const subsection = (title: string): string => `.SS ${escaped(title)}`;
const tagged = (term: string, text: string): string[] => [".TP", term, escaped(text)];

/** Paragraphs keep their lines if these are a list. */
const paragraph = (text: string): string[] =>
  text.includes("\n") ? [".PP", ".nf", escaped(text), ".fi"] : [".PP", escaped(text)];

const exampleLines = ([text, line]: readonly [text: string, line: string]): string[] => [
  ".PP",
  escaped(`${text}:`),
  ".PP",
  ".RS 4",
  ".EX",
  escaped(line),
  ".EE",
  ".RE",
];

const descriptionOf = (item: Option | Argument): string =>
  "flags" in item
    ? (HELP.optionDescription?.(item) ?? item.description)
    : (HELP.argumentDescription?.(item) ?? item.description);

/** The command's own options, without those of the program and the settings, which have separate sections. */
const ownOptions = (command: Command): Option[] =>
  command.options.filter(({ hidden, helpGroupHeading }) => !hidden && helpGroupHeading === undefined);

const usageOf = (command: Command): string =>
  [
    fullName(command),
    ...(command.options.length > 0 ? ["[options]"] : []),
    ...command.registeredArguments.map(argumentUsage),
  ].join(" ");

const commandLines = (command: Command): string[] => {
  if (command.commands.length > 0) return command.commands.flatMap(commandLines);
  const { notes = [], exitCodes = {} } = textsOf(command);
  return [
    subsection(usageOf(command)),
    escaped(sentence(command.description())),
    ...command.registeredArguments.flatMap((one) => tagged(escaped(argumentUsage(one)), descriptionOf(one))),
    ...ownOptions(command).flatMap((option) => tagged(bold(option.flags), descriptionOf(option))),
    ...Object.entries(exitCodes).flatMap(([code, text]) => tagged(`Exit code ${bold(code)}`, text)),
    ...notes.flatMap(paragraph),
    ...examplesOf(command).flatMap(exampleLines),
  ];
};

const settingLines = (setting: Setting): string[] => {
  const { flag, type, placeholder, env, fallback, help } = setting;
  const written = type === "boolean" ? `--[no-]${flag}` : `--${flag} <${placeholder}>`;
  const names = `${env}, ${keyOf(setting)}`;
  return [
    ...tagged(bold(written), help),
    ".br",
    escaped(`${names}${fallback === "" ? "" : `; default ${fallback}`}`),
  ];
};

const INTRODUCTION = [
  `Each setting has a flag of adoption-store serve, an environment variable and a key of the configuration file, in this order of precedence. Each variable may have the prefix ${PREFIX}.`,
  `The configuration file is DATA_DIR/adoption-store.toml, or the one that --config or ${CONFIG_VARIABLE} names. It is written in TOML; adoption-store config example prints one.`,
];

const FILES: readonly (readonly [string, string])[] = [
  ["DATA_DIR/adoption-store.db", "the database"],
  ["DATA_DIR/adoption-store.toml", "the configuration file"],
  ["DATA_DIR/admin.key", "the first key, which has all scopes; delete the file when you have other keys"],
  ["DATA_DIR/backups", "the scheduled backups, unless BACKUP_DIR names another directory"],
];

/** The manual page of the program, in roff. @param version of the program */
export const manualPage = (root: Command, version: string): string =>
  [
    `.TH ADOPTION\\-STORE 1 "" "adoption\\-store ${escaped(version)}" "User Commands"`,
    section("NAME"),
    "adoption\\-store \\- animals offered for adoption: a JSON API in one executable",
    section("SYNOPSIS"),
    `${bold("adoption-store")} <command> [options]`,
    section("DESCRIPTION"),
    escaped(root.description()),
    ...(textsOf(root).notes ?? []).flatMap(paragraph),
    section("COMMANDS"),
    ...root.commands.flatMap(commandLines),
    section("GLOBAL OPTIONS"),
    ...root.options.flatMap((option) => tagged(bold(option.flags), descriptionOf(option))),
    section("SETTINGS"),
    ...INTRODUCTION.flatMap(paragraph),
    ...Object.entries(SETTING_GROUPS).flatMap(([heading, settings]) =>
      [subsection(heading)].concat(Object.values(settings).flatMap(settingLines)),
    ),
    section("FILES"),
    ...FILES.flatMap(([path, text]) => tagged(escaped(path), text)),
    section("EXIT STATUS"),
    ...Object.entries(EXIT_CODES).flatMap(([code, text]) => tagged(bold(code), text)),
  ].join("\n");
