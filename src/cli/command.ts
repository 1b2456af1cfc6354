import { Argument, Command, Option } from "commander";
import type { SettingName } from "../config/settings.ts";
import { Declined } from "./confirm.ts";
import { withSuggestions, withoutSettings } from "./help/options.ts";
import { withTexts } from "./help/texts.ts";
import { print, printJson } from "./print/output.ts";
import { withSettings } from "./settings.ts";

/** The help of a command, apart from its description, arguments and options. */
interface Texts {
  /** Paragraphs. */
  notes?: readonly string[];
  /** Command lines to copy, by their descriptions. */
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
  conflicts?: string[];
}

/** Arguments and options by their forms, such as `<id>`, `[names...]`, `--yes` or `--name <name>`, with their meanings. */
export type Parameters = Readonly<Record<string, string | Parameter>>;

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
type IsPresent<Form, Meaning> = Form extends `<${string}` | `--no-${string}`
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
  command.addOption(
    withSuggestions(item, suggestions).makeOptionMandatory(required).hideHelp(hidden).conflicts(conflicts),
  );
};

const setTexts = (command: Command, { notes = [], examples = {}, exitCodes }: Texts): void =>
  void withTexts(command, {
    notes,
    examples: Object.entries(examples).map(([text, line]) => ({ text, line })),
    ...(exitCodes && { exitCodes }),
  });

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
    setTexts(made, rest);
    for (const [form, meaning] of Object.entries(takes)) addParameter(made, form, meaning);
    withSettings(made, settings, hiddenSettings);
    if (rest.isIndependent) withoutSettings(made);
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
    setTexts(made, declaration);
    for (const make of commands) made.addCommand(make());
    return made;
  };
