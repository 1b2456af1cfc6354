import { coloured } from "./colour.ts";

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Prints one line to standard error. */
export const note = (message: string): void => {
  process.stderr.write(`adoption-store: ${message}\n`);
};

/** Prints why a command failed, in one line on standard error. */
export const noteError = (message: string): void => {
  process.stderr.write(`${coloured("red", "adoption-store:", process.stderr)} ${message}\n`);
};

/** Prints that nothing was done, because the user said no. */
export const printDeclined = (json: boolean | undefined, text: string): void =>
  printResult(json, { declined: true }, text);

/** Prints the result of a command: as JSON with `--json`, else in words. */
export const printResult = (json: boolean | undefined, value: unknown, text: string): void =>
  json ? printJson(value) : print(text);
