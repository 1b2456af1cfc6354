import { createInterface } from "node:readline/promises";

/** A command was called wrongly; the message says how to call it. */
export class UsageError extends Error {
  override name = "UsageError";
}

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** One line on standard error. */
export const fail = (message: string): void => {
  process.stderr.write(`adoption-store: ${message}\n`);
};

/** Asks on the terminal. @throws UsageError where nobody could answer */
export const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) throw new UsageError("standard input is no terminal to ask on; say --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
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
