import { createInterface } from "node:readline/promises";
import { UsageError } from "./usage.ts";

/** The user answered a question with Ctrl-C. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** The user declined. The message names the effect: nothing was changed. */
export class Declined extends Error {
  override name = "Declined";
}

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
      const answer = (await terminal.question(`${question} ${preset ? "[Y/n]" : "[y/N]"} `)).trim();
      if (answer === "") return preset;
      if (/^(y|yes|n|no)$/i.test(answer)) return /^y/i.test(answer);
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
