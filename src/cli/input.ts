import { createInterface } from "node:readline/promises";
import { isLine, lineRule, quoted } from "../lib/text.ts";

/** A command was called incorrectly. The message shows the correct usage. The exit code is 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/**
 * Makes the parser of an argument or a flag.
 * @param read returns undefined for a wrong value
 * @param form completes the message of the UsageError: `--grace: "1y" is not ...`
 */
export const valueOf =
  <Value>(name: string, read: (text: string) => Value | undefined, form: string) =>
  (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new UsageError(`${name}: ${JSON.stringify(text)} is not ${form}`);
    return value;
  };

/** Makes the parser of an argument or a flag that takes one line of text. */
export const lineOf =
  (name: string, maxLength: number) =>
  (text: string): string => {
    if (isLine(text, maxLength)) return text;
    throw new UsageError(`${name}: ${quoted(text)} ${lineRule(maxLength)}`);
  };

/** Reads a number from 1 up to a number of digits. */
export const readNumber =
  (digits: number) =>
  (text: string): number | undefined =>
    /^[1-9]\d*$/.test(text) && text.length <= digits ? Number(text) : undefined;

/** Reads the id of a row. */
export const readId = readNumber(15);

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads a time span such as `90s`, `30m`, `12h`, `7d`, in seconds. */
export const readSpan = (text: string): number | undefined => {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * UNITS[unit as keyof typeof UNITS];
};

/** The user answered a question with Ctrl-C. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** The user declined. The message names the effect: nothing was changed. */
export class Declined extends Error {
  override name = "Declined";
}

/** After any other answer the question is repeated. */
const ANSWERS = new Map([
  ["y", true],
  ["yes", true],
  ["n", false],
  ["no", false],
]);

/**
 * Asks a question on the terminal until the answer is yes or no. Ctrl-D means no.
 * @param preset the meaning of Enter
 * @throws UsageError if standard input is not a terminal
 * @throws Interrupted
 */
export const confirm = async (question: string, preset = false): Promise<boolean> => {
  if (!process.stdin.isTTY)
    throw new UsageError(`${question} Standard input is not a terminal. Pass --yes to confirm.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await terminal.question(`${question} ${preset ? "[Y/n]" : "[y/N]"} `);
      const meaning = answer.trim() === "" ? preset : ANSWERS.get(answer.trim().toLowerCase());
      if (meaning !== undefined) return meaning;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ABORT_ERR") throw error;
    process.stderr.write("\n");
    if ((error as Error).message.endsWith("Ctrl+D")) return false;
    throw new Interrupted("stopped", { cause: error });
  } finally {
    terminal.close();
  }
};

/** Asks for permission, unless `--yes` has given it. @throws Declined with this message */
export const assertConfirmed = async (
  yes: boolean | undefined,
  question: string,
  message: string,
): Promise<void> => {
  if (!yes && !(await confirm(question))) throw new Declined(message);
};
