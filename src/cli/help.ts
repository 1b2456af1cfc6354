import { styleText } from "node:util";
import { type Argument, type Command, Help, type HelpConfiguration, type Option } from "commander";
import { command, examplesOf, hidesGlobals, textsOf } from "./command.ts";
import { print } from "./print/output.ts";

/** Lines are hard to read beyond this width, even on a wide terminal. */
const MAX_WIDTH = 100;
/** A longer term has its description on the next line. */
const MAX_TERM_WIDTH = 24;
/** Descriptions with less room begin on the line below their term. */
const MIN_DESCRIPTION_WIDTH = 24;
const INDENT = "  ";
const NARROW_INDENT = INDENT.repeat(3);
/** The end of a line of a command that continues on the next line. */
const CONTINUATION = " \\";

const bold = (text: string): string => styleText("bold", text, { validateStream: false });
const dim = (text: string): string => styleText("dim", text, { validateStream: false });

const indent = (text: string, by: string): string => text.replaceAll(/^/gm, by);

/** A description, which is written for lists, as a sentence. */
export const sentence = (text: string): string =>
  text === "" || /[.:]$/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** `(free, pro or enterprise; default free)`; "" if there is nothing to say. */
const allowed = ({ argChoices, defaultValue, defaultValueDescription }: Option | Argument): string => {
  const last = argChoices?.at(-1);
  const parts = [
    ...(last === undefined ? [] : [`${argChoices?.slice(0, -1).join(", ")} or ${last}`]),
    ...(typeof defaultValue === "string" ? [`default ${defaultValueDescription ?? defaultValue}`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
};

/** The options of a command, and those of the program that hold for it. */
const visibleOptions = (command: Command): Option[] => {
  const own = new Help().visibleOptions(command);
  const [help] = own.slice(-1);
  const root = rootOf(command);
  const globals =
    command === root || hidesGlobals(command) ? [] : root.options.filter(({ hidden }) => !hidden);
  const shared = globals.filter(({ long }) => long !== "--version");
  return help ? [...own.slice(0, -1), ...shared, help] : own;
};

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

const widthOf = ({ helpWidth = 80 }: Help): number => helpWidth;

/** Wraps text that begins at a column. The following lines begin at the same column. */
const wrap = (helper: Help, text: string, column: number): string =>
  helper.boxWrap(text, widthOf(helper) - column).replaceAll("\n", `\n${" ".repeat(column)}`);

/** A term with its description. A description without room next to its term begins on the next line. */
const item = (helper: Help, width: number, term: string, description: string): string => {
  const column = width + 2 * INDENT.length;
  const isNarrow = widthOf(helper) - column < MIN_DESCRIPTION_WIDTH;
  if (isNarrow) return `${INDENT}${term}\n${NARROW_INDENT}${wrap(helper, description, NARROW_INDENT.length)}`;
  const text = wrap(helper, description, column);
  const gap = width - helper.displayWidth(term);
  return gap < 0
    ? `${INDENT}${term}\n${" ".repeat(column)}${text}`
    : `${INDENT}${term}${" ".repeat(gap)}${INDENT}${text}`;
};

/** A paragraph. Its lines of the form `  term  description` are items. */
const paragraph = (helper: Help, text: string): string =>
  text
    .split("\n")
    .map((line) => {
      const [, term, gap, description] = /^ {2}(\S+)( {2,})(\S.*)/.exec(line) ?? [];
      if (term === undefined || gap === undefined || description === undefined) return wrap(helper, line, 0);
      return item(helper, (term + gap).length - INDENT.length, term, description);
    })
    .join("\n");

/** Splits a line of a command between its words, so that it can still be copied. */
const wrapCommand = (line: string, width: number): string => {
  const lines: string[] = [];
  let current = "";
  // A quoted text is a part of one word, and a redirection stays with its file.
  for (const [word] of line.matchAll(/\s*(?:> )?(?:'[^']*'|"[^"]*"|\S)+/g)) {
    if (current === "" || (current + word + CONTINUATION).length <= width) {
      current += word;
      continue;
    }
    lines.push(current);
    current = INDENT + word.trimStart();
  }
  return [...lines, current].join(`${CONTINUATION}\n`);
};

const example = (helper: Help, text: string, line: string): string => {
  const width = widthOf(helper) - INDENT.length;
  const lines = line.split("\n").map((one) => (one.length <= width ? one : wrapCommand(one, width)));
  const comment = helper.boxWrap(text, width - "# ".length).replaceAll(/^/gm, "# ");
  return indent(`${dim(comment)}\n${lines.join("\n")}`, INDENT);
};

/** An argument in a line of usage: `<id>`, `[document]`, `<file...>`. */
export const argumentUsage = (argument: Argument): string => {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
};

type Section = [heading: string, items: (readonly [term: string, description: string])[]];

const grouped = <Value>(
  values: readonly Value[],
  headingOf: (value: Value) => string,
  itemOf: (value: Value) => Section[1][number],
): Section[] => [...Map.groupBy(values, headingOf)].map(([heading, group]) => [heading, group.map(itemOf)]);

const sectionsOf = (command: Command, helper: Help): Section[] => [
  ...grouped(
    helper.visibleArguments(command),
    () => "Arguments:",
    (one) => [helper.argumentTerm(one), helper.argumentDescription(one)],
  ),
  ...grouped(
    helper.visibleCommands(command),
    (one) => one.helpGroup() || "Commands:",
    (one) => [helper.subcommandTerm(one), helper.subcommandDescription(one)],
  ),
  ...grouped(
    helper.visibleOptions(command),
    (one) => one.helpGroupHeading ?? "Options:",
    (one) => [helper.optionTerm(one), helper.optionDescription(one)],
  ),
];

const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [bold(heading), ...lines].join("\n");

const formatHelp = (command: Command, helper: Help): string => {
  const sections = sectionsOf(command, helper);
  const terms = sections.flatMap(([, items]) => items.map(([term]) => helper.displayWidth(term)));
  const width = Math.max(0, ...terms.filter((one) => one <= MAX_TERM_WIDTH));
  const { notes = [], exitCodes = {} } = textsOf(command);
  const paragraphs = [
    `${bold("Usage:")} ${wrap(helper, helper.commandUsage(command), "Usage: ".length)}`,
    wrap(helper, sentence(helper.commandDescription(command)), 0),
    ...sections.map(([heading, items]) =>
      section(
        heading,
        items.map(([term, description]) => item(helper, width, term, description)),
      ),
    ),
    ...notes.map((note) => paragraph(helper, note)),
    section(
      "Exit codes:",
      Object.entries(exitCodes).map(([code, text]) => item(helper, 3, code, text)),
    ),
    section(
      "Examples:",
      examplesOf(command).map(([text, line]) => example(helper, text, line)),
    ),
  ];
  return `${paragraphs.filter((one) => one !== "").join("\n\n")}\n`;
};

export const HELP: HelpConfiguration = {
  formatHelp,
  minWidthToWrap: 1,
  visibleOptions,
  optionDescription: (option) => option.description + allowed(option),
  argumentDescription: (argument) => argument.description + allowed(argument),
  prepareContext(context) {
    this.helpWidth = Math.min(context.helpWidth ?? 80, MAX_WIDTH);
  },
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentUsage)].join(" "),
};

/** Commander's error about an unknown command, which suggests a similar one. Its types leave the method out. */
const refuseUnknown = (command: Command, name: string): never => {
  command.args = [name];
  return (command as Command & { unknownCommand(): never }).unknownCommand();
};

/** The command with this path, such as `keys create`. @throws UsageError */
const commandAt = (root: Command, path: readonly string[]): Command =>
  path.reduce(
    (command, name) =>
      command.commands.find((child) => child.name() === name) ?? refuseUnknown(command, name),
    root,
  );

export const helpCommand = command({
  name: "help",
  description: "explain a command, as its --help does",
  takes: { "[command...]": "the command, such as keys create" },
  isIndependent: true,
  run({ command: path }, { parent }) {
    if (parent) commandAt(parent, path).outputHelp();
  },
});

/** Runs a command that only groups others: it prints its help, or rejects unknown arguments. */
export const explain = (command: Command, start: string | undefined): void => {
  const [name, ...path] = command.args;
  if (name === "help") return commandAt(command, path).outputHelp();
  if (name !== undefined) refuseUnknown(command, name);
  if (start === undefined) command.outputHelp();
  else print(start);
};
