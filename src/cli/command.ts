import { Argument, Command, Option } from "commander";
import { defaultConfigPath } from "../config/file.ts";
import { groupOf, type Setting, type SettingName, SETTINGS } from "../config/settings.ts";
import { CONFIG_VARIABLE } from "../config/sources.ts";
import { Declined } from "./input.ts";
import { print, printJson } from "./print/output.ts";

/** The exit codes of all commands. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: "success",
  1: "the command failed; standard error has the reason and the remedy",
  2: "the command was called incorrectly, or a setting is wrong",
  130: "stopped with Ctrl-C",
};

/** The help of a command, apart from its description, arguments and options. */
interface Texts {
  /** Paragraphs. */
  notes?: readonly string[];
  /** Command lines to copy, without the command's name, by their descriptions. */
  examples?: Readonly<Record<string, string>>;
  /** The meanings of this command's exit codes, where they differ from `EXIT_CODES`. */
  exitCodes?: Readonly<Record<number, string>>;
}

interface Parameter {
  text: string;
  /** Reads the value. @param previous the value so far, if the option is repeated @throws UsageError */
  parse?(text: string, previous: unknown): unknown;
  choices?: readonly string[];
  /** Values for shells to suggest. Unlike `choices`, they do not restrict it. */
  suggestions?: readonly string[];
  fallback?: unknown;
  /** The fallback in words. */
  fallbackText?: string;
  /** True for an option that must be given. */
  required?: boolean;
  hidden?: boolean;
  /** Options that cannot be given together with this one, in camel case. */
  conflicts?: readonly string[];
}

/** Arguments and options by their forms, such as `<id>`, `[names...]`, `--yes` or `--name <name>`, with their meanings. */
export type Parameters = Readonly<Record<string, string | Parameter>>;

// The form of an argument or option determines its name and its type, unless `choices` or `parse` narrow the type.
type Camel<Text> = Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Text;
type NameOf<Form> = Form extends `<${infer Name}...>` | `[${infer Name}...]`
  ? Name
  : Form extends `<${infer Name}>` | `[${infer Name}]`
    ? Name
    : Form extends `--${infer Name} <${string}` | `--no-${infer Name}` | `--${infer Name}`
      ? Camel<Name>
      : never;
type Word<Form, One> = Form extends `${string}...${string}`
  ? One[]
  : Form extends `--${string} <${string}` | `<${string}` | `[${string}`
    ? One
    : boolean;
type Given<Form, Meaning> = Meaning extends { parse(text: string, previous: never): infer Value }
  ? Value
  : Meaning extends { choices: readonly (infer Choice)[] }
    ? Word<Form, Choice>
    : Word<Form, string>;
type IsPresent<Form, Meaning> = Form extends `<${string}` | `[${string}...]` | `--no-${string}`
  ? true
  : Meaning extends { required: true } | { fallback: unknown }
    ? true
    : false;

/** The values of arguments and options, by their names in camel case. */
export type Input<Takes> = {
  [Form in keyof Takes as NameOf<Form>]:
    Given<Form, Takes[Form]> | (IsPresent<Form, Takes[Form]> extends true ? never : undefined);
};

/** The last output of a command: `json` with `--json`, else `text`, which may also be a function that prints. */
export interface Outcome {
  json: unknown;
  text: string | (() => void);
}

export interface Heading {
  name: string;
  /** A shorter description, for lists of commands. */
  summary?: string;
  description: string;
}

/** A command, from which the parser, help, the man page, completion and the manual derive. */
export interface Declaration<Takes> extends Heading, Texts {
  takes?: Takes;
  /** The settings whose flags the command takes, and help shows. */
  settings?: readonly SettingName[];
  /** The settings whose flags the command takes, but help does not show. */
  hiddenSettings?: readonly SettingName[];
  /** True if the command reads no settings. Its help shows no global options. */
  isIndependent?: true;
  run(input: Input<Takes>, command: Command): Outcome | void | Promise<Outcome | void>;
}

const DECLARED = new WeakMap<Command, Texts & { isIndependent?: true }>();
const SUGGESTED = new WeakMap<Option | Argument, readonly string[]>();

/** The command as it is called: `adoption-store keys create`. */
export const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();

/** The notes and exit codes of a command. */
export const textsOf = (command: Command): Omit<Texts, "examples"> => DECLARED.get(command) ?? {};

/** The examples of a command: what each does, and its command line. */
export const examplesOf = (command: Command): [text: string, line: string][] =>
  Object.entries(DECLARED.get(command)?.examples ?? {}).map(([text, line]) => [
    text,
    `${fullName(command)} ${line}`.trimEnd(),
  ]);

/** True if the help of a command shows no global options: it reads no settings, or only groups others. */
export const hidesGlobals = (command: Command): boolean =>
  DECLARED.get(command)?.isIndependent === true || command.commands.length > 0;

/** Values for shells to suggest. */
export const suggestionsFor = (item: Option | Argument): readonly string[] =>
  item.argChoices ?? SUGGESTED.get(item) ?? [];

const describe = ({ env, help, fallback }: Setting): string =>
  `${help} (env ${env}${fallback === "" ? "" : `; default ${fallback}`})`;

/** The flags of a setting. A boolean that is true by default is shown as `--no-<flag>`, and its opposite is hidden. */
const settingOptions = (name: SettingName): Option[] => {
  const setting: Setting = SETTINGS[name];
  const { flag, type, placeholder, fallback } = setting;
  if (type !== "boolean") {
    const option = new Option(`--${flag} <${placeholder}>`, describe(setting));
    SUGGESTED.set(option, setting.choices ?? []);
    return [option];
  }
  return fallback === "true"
    ? [new Option(`--no-${flag}`, `do not ${describe(setting)}`), new Option(`--${flag}`).hideHelp()]
    : [new Option(`--${flag}`, describe(setting)), new Option(`--no-${flag}`).hideHelp()];
};

const addParameter = (command: Command, form: string, meaning: string | Parameter): void => {
  const parameter = typeof meaning === "string" ? { text: meaning } : meaning;
  const { text, parse, choices, suggestions = [], fallback, fallbackText }: Parameter = parameter;
  const { required = false, hidden = false, conflicts = [] }: Parameter = parameter;
  const isOption = form.startsWith("--");
  const item = isOption ? new Option(form, text) : new Argument(form, text);
  if (choices) item.choices(choices);
  if (fallback !== undefined) item.default(fallback, fallbackText);
  if (parse) item.argParser(parse);
  if (item instanceof Argument) return void command.addArgument(item);
  SUGGESTED.set(item, suggestions);
  command.addOption(
    item
      .makeOptionMandatory(required)
      .hideHelp(hidden)
      .conflicts([...conflicts]),
  );
};

/** Adds the flags of settings. `--data-dir` is an option of the program, so every command has it. */
const addSettings = (
  command: Command,
  shown: readonly SettingName[],
  hidden: readonly SettingName[],
): void => {
  for (const name of new Set([...shown, ...hidden]))
    for (const option of name === "dataDir" ? [] : settingOptions(name))
      command.addOption(
        option.helpGroup(`${groupOf(name)}:`).hideHelp(option.hidden || !shown.includes(name)),
      );
};

/** Options that hold for all commands that read settings, before or after the command's name. */
export const addGlobalOptions = (root: Command, version: string): void => {
  const heading = "Global options:";
  root.optionsGroup(heading).version(version, "-V, --version", "print the version");
  for (const option of settingOptions("dataDir")) root.addOption(option);
  root
    .option(
      "--config <file>",
      `configuration file (env ${CONFIG_VARIABLE}; default ${defaultConfigPath("DATA_DIR")}, if it exists)`,
    )
    .addHelpOption(new Option("-h, --help", "show this help").helpGroup(heading))
    // A command gets the global options with its own.
    .hook("preAction", (program, command) => {
      for (const [name, value] of Object.entries(program.opts()))
        command.setOptionValueWithSource(name, value, "cli");
    });
};

const commandOf = ({ name, summary = "", description }: Heading): Command =>
  new Command(name).summary(summary).description(description);

const printOutcome = ({ json, text }: Outcome, isJson: boolean): void => {
  if (isJson) printJson(json);
  else if (typeof text === "string") print(text);
  else text();
};

/** Makes the command of a declaration. */
export const command =
  <const Takes extends Parameters = {}>(declaration: Declaration<Takes>) =>
  (): Command => {
    const { takes = {}, settings = [], hiddenSettings = [], ...rest }: Declaration<Parameters> = declaration;
    const made = commandOf(rest);
    DECLARED.set(made, rest);
    for (const [form, meaning] of Object.entries(takes)) addParameter(made, form, meaning);
    addSettings(made, settings, hiddenSettings);
    return made.action(async () => {
      const given = made.registeredArguments.map((argument, at) => [argument.name(), made.processedArgs[at]]);
      const input = { ...made.opts(), ...Object.fromEntries(given) };
      try {
        const outcome = await declaration.run(input, made);
        if (outcome) printOutcome(outcome, input.json === true);
      } catch (error) {
        if (!(error instanceof Declined)) throw error;
        printOutcome({ json: { declined: true }, text: error.message }, input.json === true);
      }
    });
  };

/** Makes a command that only groups others. */
export const group =
  ({ commands, ...declaration }: Heading & Texts & { commands: readonly (() => Command)[] }) =>
  (): Command => {
    const made = commandOf(declaration);
    DECLARED.set(made, declaration);
    for (const make of commands) made.addCommand(make());
    return made;
  };
