import { styleText } from "node:util";
import { type Argument, type Command, Help, type HelpConfiguration, type Option } from "commander";
import { hidesGlobals } from "./globals.ts";
import { textsOf } from "./texts.ts";

/** Lines are hard to read beyond this width, even on a wide terminal. */
const MAX_WIDTH = 100;
/** A longer term has its description on the next line. */
const MAX_TERM_WIDTH = 24;
const INDENT = "  ";

const bold = (text: string): string => styleText("bold", text, { validateStream: false });
const dim = (text: string): string => styleText("dim", text, { validateStream: false });

const indent = (text: string, by: string): string => text.replaceAll(/^/gm, by);

/** A description, which is written for lists, as a sentence. */
const sentence = (text: string): string =>
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

/** A list of terms with their descriptions. Long terms have a line of their own. */
const item = (helper: Help, width: number, term: string, description: string): string => {
  const room = (helper.helpWidth ?? 80) - width - 2 * INDENT.length;
  const [first = "", ...rest] = helper.boxWrap(description, room).split("\n");
  const margin = " ".repeat(width + 2 * INDENT.length);
  const gap = " ".repeat(Math.max(0, width - helper.displayWidth(term)));
  const start =
    helper.displayWidth(term) > width
      ? [INDENT + term, margin + first]
      : [`${INDENT}${term}${gap}${INDENT}${first}`];
  return [...start, ...rest.map((line) => margin + line)].join("\n");
};

type Item = readonly [term: string, description: string];

/** Groups items by their heading, in order of appearance. */
const grouped = <Value>(
  values: readonly Value[],
  headingOf: (value: Value) => string | undefined,
  heading: string,
): [string, Value[]][] => [...Map.groupBy(values, (value) => headingOf(value) || heading)];

const sectionsOf = (command: Command, helper: Help): [heading: string, items: Item[]][] => [
  [
    "Arguments:",
    helper
      .visibleArguments(command)
      .map((argument) => [helper.argumentTerm(argument), helper.argumentDescription(argument)]),
  ],
  ...grouped(helper.visibleCommands(command), (child) => child.helpGroup(), "Commands:").map(
    ([heading, children]): [string, Item[]] => [
      heading,
      children.map((child) => [helper.subcommandTerm(child), helper.subcommandDescription(child)]),
    ],
  ),
  ...grouped(helper.visibleOptions(command), ({ helpGroupHeading }) => helpGroupHeading, "Options:").map(
    ([heading, options]): [string, Item[]] => [
      heading,
      options.map((option) => [helper.optionTerm(option), helper.optionDescription(option)]),
    ],
  ),
];

/** The notes, examples and exit codes at the end. */
const endOf = (command: Command, helper: Help): string[] => {
  const { notes = [], examples = [], exitCodes = {} } = textsOf(command);
  const width = helper.helpWidth ?? 80;
  const codes = Object.entries(exitCodes).map(([code, text]) => item(helper, 3, code, text));
  return [
    ...notes.map((note) => helper.boxWrap(note, width)),
    ...(codes.length > 0 ? [[bold("Exit codes:"), ...codes].join("\n")] : []),
    ...(examples.length > 0
      ? [
          [
            bold("Examples:"),
            ...examples.map(({ text, line }) => `${INDENT}${dim(`# ${text}`)}\n${indent(line, INDENT)}`),
          ].join("\n"),
        ]
      : []),
  ];
};

const formatHelp = (command: Command, helper: Help): string => {
  const sections = sectionsOf(command, helper).filter(([, items]) => items.length > 0);
  const terms = sections.flatMap(([, items]) => items.map(([term]) => helper.displayWidth(term)));
  const width = Math.max(0, ...terms.filter((one) => one <= MAX_TERM_WIDTH));
  const paragraphs = [
    `${bold("Usage:")} ${helper.commandUsage(command)}`,
    helper.boxWrap(sentence(helper.commandDescription(command)), helper.helpWidth ?? 80),
    ...sections.map(([heading, items]) =>
      [bold(heading), ...items.map(([term, description]) => item(helper, width, term, description))].join(
        "\n",
      ),
    ),
    ...endOf(command, helper),
  ];
  return `${paragraphs.filter((one) => one !== "").join("\n\n")}\n`;
};

/** How help looks, for all commands. */
export const HELP: HelpConfiguration = {
  formatHelp,
  visibleOptions,
  optionDescription: (option) => option.description + allowed(option),
  argumentDescription: (argument) => argument.description + allowed(argument),
  prepareContext(context) {
    this.helpWidth = Math.min(context.helpWidth ?? 80, MAX_WIDTH);
  },
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) =>
        argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      ),
    ].join(" "),
};
