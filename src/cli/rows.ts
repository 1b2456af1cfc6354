import { extname } from "node:path";
import { DELIMITERS } from "../bulk/csv-reader.ts";
import type { Format } from "../bulk/import.ts";
import { quantity } from "../bulk/quantity.ts";
import { stopSignals } from "./signals.ts";
import { progress } from "./progress.ts";
import { UsageError, fail } from "./terminal.ts";

const FORMAT_OF: Readonly<Record<string, Format>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  // Rejected rows lie beside their file: animals.csv.rejected.
  ".rejected": "csv",
};

/** The form that `--format` names, or else the file's name. @throws UsageError if neither does */
export const formatOf = (path: string | undefined, format: Format | undefined): Format => {
  if (format) return format;
  const name = path?.toLowerCase().replace(/(\.rejected)+$/, "") ?? "";
  const found = FORMAT_OF[extname(name)];
  if (!found)
    throw new UsageError(
      `--format: say csv or ndjson: ${path === undefined ? "standard input" : JSON.stringify(path)} does not tell by its name`,
    );
  return found;
};

/** The separator that `--delimiter` names: by a word or as it is. @throws UsageError */
export const delimiterOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined;
  const named: string | undefined = (DELIMITERS as Record<string, string>)[text];
  const delimiter = named ?? (text === "\\t" ? "\t" : text);
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    throw new UsageError(
      `--delimiter: ${JSON.stringify(text)} is no separator; there are ${Object.keys(DELIMITERS).join(", ")}, or one character`,
    );
  return delimiter;
};

export const counted = (rows: number): string => rows.toLocaleString("en-US");

const BAR = 20;
const PLAIN_EVERY_MS = 10_000;

export interface Shown {
  show(rows: number, share: number | undefined): void;
  end(): void;
}

const span = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

const barOf = (share: number): string => {
  const full = Math.round(share * BAR);
  return `[${"#".repeat(full)}${".".repeat(BAR - full)}] ${Math.floor(share * 100)} %  `;
};

/** A bar with rows, pace and time left on a terminal; elsewhere a plain line every ten seconds. */
export const rowsShown = (doing: string, output: NodeJS.WriteStream = process.stderr): Shown => {
  const shown = progress(output);
  const start = performance.now();
  let first: { rows: number; share: number } | undefined;
  let plainly = start;
  return {
    show(rows, share) {
      const now = performance.now();
      first ??= { rows, share: share ?? 0 };
      const seconds = (now - start) / 1000;
      const isPlain = !output.isTTY && now - plainly >= PLAIN_EVERY_MS;
      if (!output.isTTY && !isPlain) return;
      const pace = `${counted(Math.round((rows - first.rows) / seconds))} rows/s`;
      const done = share === undefined ? 0 : (share - first.share) / (1 - first.share || 1);
      const left = share !== undefined && done > 0 ? `, ${span((seconds / done) * (1 - done))} left` : "";
      const line = `${doing} ${quantity(rows, "row")}, ${pace}${left}`;
      if (!isPlain) return shown.show((share === undefined ? "" : barOf(share)) + line);
      plainly = now;
      fail(line);
    },
    end: shown.end,
  };
};

/**
 * Notices the signals that end a command; a second one ends the process at once, except SIGHUP, which a terminal that closes
 * sends more than once.
 */
export const stopping = () => {
  let code = 0;
  const handlers = stopSignals().map(([signal, exitCode]) => {
    const stop = () => {
      if (code !== 0 && signal !== "SIGHUP") process.exit(exitCode);
      code ||= exitCode;
    };
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  return {
    /** The exit code that it ends with; 0 if nobody has stopped it. */
    code: () => code,
    [Symbol.dispose]() {
      for (const remove of handlers) remove();
    },
  };
};
