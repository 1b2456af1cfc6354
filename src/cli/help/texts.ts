import type { Command } from "commander";

/** A command line to copy, and a description of it. */
export interface Example {
  text: string;
  line: string;
}

/** The help of a command, apart from its description, arguments and options. */
export interface CommandTexts {
  /** Paragraphs. */
  notes?: readonly string[];
  examples?: readonly Example[];
  /** The meanings of this command's exit codes, where they differ from `EXIT_CODES`. */
  exitCodes?: Readonly<Record<number, string>>;
}

/** The exit codes of all commands. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: "success",
  1: "the command failed; standard error says why and what to do",
  2: "the command was called incorrectly, or a setting is wrong",
  130: "stopped with Ctrl-C",
};

const TEXTS = new WeakMap<Command, CommandTexts>();

/** Adds notes, examples and exit codes to a command, for its help, the man page and the manual. */
export const withTexts = (command: Command, texts: CommandTexts): Command => {
  TEXTS.set(command, { ...TEXTS.get(command), ...texts });
  return command;
};

/** The notes, examples and exit codes of a command. */
export const textsOf = (command: Command): CommandTexts => TEXTS.get(command) ?? {};

/** Adds examples to a command: what each does, and its command line. */
export const withExamples = (
  command: Command,
  ...examples: readonly (readonly [text: string, line: string])[]
): Command => withTexts(command, { examples: examples.map(([text, line]) => ({ text, line })) });
