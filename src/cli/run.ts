import { CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { explainCode } from "../data/db/failures.ts";
import { Fault } from "../lib/errors.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { withBareBooleans, withServiceAdvice } from "./settings.ts";
import { complete, completionLines, findObjects } from "./completion.ts";
import { Interrupted, UsageError } from "./input.ts";
import { noteError, print } from "./print/output.ts";
import { program } from "./program.ts";
import { suspendBetweenTurns } from "./signals.ts";

/** The command that completion scripts call. The parser must not read its words. */
const COMPLETE = "__complete";
const WRONG_USE = 2;
/** The exit code that a shell reports for a command that SIGINT ended. */
const INTERRUPTED = 130;

/** Runs one command. @returns the exit code: 0, 1 for a failure, 2 for wrong use, 130 for Ctrl-C */
export const run = async (argv: readonly string[]): Promise<number> => {
  suspendBetweenTurns();
  try {
    if (argv[0] === COMPLETE) {
      print(completionLines(complete(program(), argv.slice(1), findObjects)));
      return 0;
    }
    await program().parseAsync(withBareBooleans(argv), { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (thrown) {
    const error = withServiceAdvice(thrown);
    // Commander printed help or the version.
    if (error instanceof CommanderError) return 0;
    if (error instanceof ConfigError || error instanceof UsageError) {
      noteError(error.message);
      return WRONG_USE;
    }
    if (error instanceof OperatorError || error instanceof Fault) {
      noteError(error.message);
      return 1;
    }
    const message = reasonOf(error);
    // Only for an error with its own code: an error with a cause already includes the remedy.
    const { code } = error as { code?: unknown };
    const explanation = typeof code === "string" ? explainCode(code) : undefined;
    noteError(explanation === undefined ? message : `${message}: ${explanation}`);
    return error instanceof Interrupted ? INTERRUPTED : 1;
  }
};
