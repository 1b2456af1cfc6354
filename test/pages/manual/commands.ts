import type { Argument, Command, Option } from "commander";
import { program } from "../../../src/cli/program.ts";
import { argumentUsage } from "../../../src/cli/help.ts";
import { EXIT_CODES, examplesOf, fullName, textsOf } from "../../../src/cli/command.ts";
import { capitalised, code, parts, plain, table } from "../../../src/pages/manual/generated/markdown.ts";

const sentence = (text: string): string => (/[.:]$/.test(text) ? capitalised(text) : `${capitalised(text)}.`);

const choicesOf = ({ argChoices }: Option | Argument): string =>
  argChoices ? ` (${argChoices.map(code).join(", ")})` : "";

const defaultOf = ({ defaultValue, defaultValueDescription }: Option | Argument): string =>
  typeof defaultValue === "string" ? code(defaultValueDescription ?? defaultValue) : "";

const argumentRow = (argument: Argument): string[] => [
  code(argumentUsage(argument)),
  plain(argument.description) + choicesOf(argument),
  defaultOf(argument),
];

const optionRow = (option: Option): string[] => [
  code(option.flags),
  plain(option.description) + choicesOf(option),
  defaultOf(option),
];

/** True for a setting, which the page of settings explains: help shows it under the heading of its group. */
const isSetting = ({ helpGroupHeading }: Option): boolean => helpGroupHeading !== undefined;

const usage = (command: Command): string =>
  [fullName(command), ...command.registeredArguments.map(argumentUsage), "[options]"].join(" ");

const exampleList = (command: Command): string[] => {
  const rows = examplesOf(command).map(
    ([text, line]) => `- ${text.replace(/\.$/, "")}: ${code(line.replaceAll(/ *\\\n\s*/g, " "))}`,
  );
  return rows.length === 0 ? [] : ["Examples:", rows.join("\n")];
};

/** A command with more settings takes all. */
const MAX_LISTED = 20;

const settingsOf = (options: readonly Option[]): string[] => {
  if (options.length === 0) return [];
  if (options.length > MAX_LISTED) return ["It takes all [settings](settings.md)."];
  return [
    `[Settings](settings.md) that matter here: ${options.map(({ long }) => code(long ?? "")).join(", ")}.`,
  ];
};

const optionsTable = (rows: string[][], head: string): string[] =>
  rows.length === 0 ? [] : [table([head, "meaning", "default"], rows)];

/** `  pets:read   list animals`: a row of a list. */
const ROW = /^ +(\S+) +(.+)$/;

const noteOf = (note: string): string => {
  const lines = note.split("\n");
  const rows = lines.map((line) => ROW.exec(line));
  if (!rows.some(Boolean)) return plain(note);
  return lines
    .map((line, at) =>
      rows[at] ? `- ${code(rows[at][1] ?? "")}: ${plain(rows[at][2] ?? "")}` : `${plain(line)}\n`,
    )
    .join("\n");
};

const sectionOf = (command: Command): string => {
  const options = command.options.filter(({ hidden }) => !hidden);
  const { notes = [], exitCodes } = textsOf(command);
  return parts(
    `### ${code(fullName(command).replace(/^adoption-store /, ""))}`,
    sentence(plain(command.description())),
    code(usage(command)),
    ...optionsTable(command.registeredArguments.map(argumentRow), "argument"),
    ...optionsTable(options.filter((option) => !isSetting(option)).map(optionRow), "option"),
    ...settingsOf(options.filter(isSetting)),
    ...notes.map(noteOf),
    ...(exitCodes ? [exitCodeTable(exitCodes)] : []),
    ...exampleList(command),
  );
};

const exitCodeTable = (codes: Readonly<Record<number, string>>): string =>
  table(
    ["exit code", "meaning"],
    Object.entries(codes).map(([exit, meaning]) => [exit, plain(meaning)]),
  );

/** The commands that do something, not those that group others. */
const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

const groupsOf = (root: Command): [heading: string, commands: Command[]][] => [
  ...Map.groupBy(root.commands, (command) => (command.helpGroup() ?? "Commands:").replace(/:$/, "")),
];

const HEAD = `# Commands

Every command of \`adoption-store\`, with its arguments, options and examples.

\`adoption-store COMMAND --help\` prints the same. Every command takes \`--data-dir\`, \`--config\` and \`--help\`, unless it needs no settings.`;

/** The page of commands, as the program describes itself. */
export const commandsPage = (): string => {
  const root = program();
  return `${parts(
    HEAD,
    "## Exit codes",
    exitCodeTable(EXIT_CODES),
    ...groupsOf(root).map(([heading, commands]) =>
      parts(`## ${heading}`, ...commands.flatMap(leavesOf).map(sectionOf)),
    ),
  )}\n`;
};

if (import.meta.main)
  await Bun.write(`${import.meta.dir}/../../../src/pages/manual/reference/commands.md`, commandsPage());
