import { createInterface } from "node:readline/promises";

/** A command was called wrongly; the message says how to call it. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Somebody pressed Ctrl-C where a command asked. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** One line on standard error. */
export const fail = (message: string): void => {
  process.stderr.write(`adoption-store: ${message}\n`);
};

/** Asks on the terminal; its end, Ctrl-D, is a no. @throws UsageError where nobody could answer @throws Interrupted */
export const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY)
    throw new UsageError(`${question} Standard input is not a terminal to answer on: say --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ABORT_ERR") throw error;
    process.stderr.write("\n");
    if ((error as Error).message.endsWith("Ctrl+D")) return false;
    throw new Interrupted("stopped", { cause: error });
  } finally {
    terminal.close();
  }
};

/** Lines of text in columns; the first row is their heading. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};
