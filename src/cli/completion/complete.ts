import type { Argument, Command, Option } from "commander";
import { HELP } from "../help/format.ts";
import { suggestionsFor } from "../help/suggested.ts";

/** What a shell suggests for a word. */
export interface Completion {
  /** Whether the shell suggests `candidates`, or paths. */
  kind: "words" | "files" | "directories";
  candidates: readonly Candidate[];
}

interface Candidate {
  value: string;
  /** One line; "" if there is nothing to say. */
  text: string;
}

const PATHS: Readonly<Record<string, Completion["kind"]>> = { file: "files", directory: "directories" };

const words = (values: readonly string[]): Completion => ({
  kind: "words",
  candidates: values.map((value) => ({ value, text: "" })),
});

/** The values of an option or argument. @param name its placeholder */
const valuesOf = (values: readonly string[], name: string): Completion => ({
  ...words(values),
  kind: PATHS[name] ?? "words",
});

const optionValues = (option: Option): Completion =>
  valuesOf(suggestionsFor(option), /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "");

const argumentValues = (argument: Argument | undefined): Completion =>
  argument ? valuesOf(argument.argChoices ?? [], argument.name()) : words([]);

const optionsOf = (command: Command): Option[] => HELP.visibleOptions?.(command) ?? [];

const findOption = (command: Command, word: string): Option | undefined =>
  optionsOf(command).find(({ long, short }) => word === long || word === short);

const commandsOf = (command: Command): Completion => ({
  kind: "words",
  candidates: command.commands.map((child) => ({
    value: child.name(),
    text: child.summary() || child.description(),
  })),
});

/** Where the words before the one to complete lead. */
interface Place {
  command: Command;
  /** The number of arguments so far. */
  given: number;
  /** The option whose value comes next. */
  pending: Option | undefined;
}

const step = ({ command, given, pending }: Place, word: string): Place => {
  const isValue = pending && !(pending.variadic && word.startsWith("-"));
  if (isValue) return { command, given, pending: pending.variadic ? pending : undefined };
  const option = word.startsWith("-") ? findOption(command, word) : undefined;
  if (option) return { command, given, pending: option.required ? option : undefined };
  if (word.startsWith("-")) return { command, given, pending: undefined };
  const child = command.commands.find((one) => one.name() === word);
  return child
    ? { command: child, given: 0, pending: undefined }
    : { command, given: given + 1, pending: undefined };
};

/** Bash separates `--flag=value` and `pets:read` into three words each. */
const joined = (typed: readonly string[]): string[] => {
  const all: string[] = [];
  for (const [at, word] of typed.entries()) {
    const isAfterColon = typed[at - 1] === ":" && at > 1;
    if (word === "=") all.push(...(at === typed.length - 1 ? [""] : []));
    else if ((word === ":" && at > 0) || isAfterColon) all.push(`${all.pop() ?? ""}${word}`);
    else all.push(word);
  }
  return all;
};

const suggest = ({ command, given, pending }: Place, current: string): Completion => {
  if (pending && !(pending.variadic && current.startsWith("-"))) return optionValues(pending);
  const [flag = "", text] = current.split(/=(.*)/s);
  if (flag.startsWith("--") && text !== undefined) {
    const option = findOption(command, flag);
    const found = option ? optionValues(option) : words([]);
    return {
      ...found,
      candidates: found.candidates.map(({ value }) => ({ value: `${flag}=${value}`, text: "" })),
    };
  }
  if (current.startsWith("-"))
    return {
      kind: "words",
      candidates: optionsOf(command).map(({ long, description }) => ({
        value: long ?? "",
        text: description,
      })),
    };
  if (command.commands.length > 0) return commandsOf(command);
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  return argumentValues(known[given] ?? (last?.variadic ? last : undefined));
};

/** Completes a command line. @param typed the words after the program's name; the last one is being typed, and may be empty */
export const complete = (root: Command, typed: readonly string[]): Completion => {
  const all = joined(typed);
  const current = all.at(-1) ?? "";
  // `help` is followed by the path of a command.
  const path = all.slice(0, -1).filter((word, at) => !(at === 0 && word === "help"));
  const start: Place = { command: root, given: 0, pending: undefined };
  const { kind, candidates } = suggest(path.reduce(step, start), current);
  return { kind, candidates: candidates.filter(({ value }) => value.startsWith(current)) };
};

/** The lines that the scripts of `adoption-store completion` read: the kind, and then a candidate a line. */
export const completionLines = ({ kind, candidates }: Completion): string =>
  [kind, ...candidates.map(({ value, text }) => (text === "" ? value : `${value}\t${text}`))].join("\n");
