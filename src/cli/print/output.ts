import { styleText } from "node:util";
import { once } from "../../lib/lazy.ts";
import type { Page } from "../../lib/pagination.ts";
import { quantity } from "../../lib/quantity.ts";
import { oneLine } from "../../lib/text.ts";

type Style = Parameters<typeof styleText>[0];

/** Text in colour if the stream is a terminal; NO_COLOR and FORCE_COLOR override that. */
export const coloured = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

export const heading = (text: string): string => coloured("bold", text);

const BYTE_UNITS = ["bytes", "kB", "MB", "GB"];

/** `1234567` as `1.2 MB`. */
export const formatBytes = (bytes: number): string => {
  const step = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[step]}`;
};

/** The first `max` names, and the number of the others: `a, b, and 3 more`. */
export const formatNames = (names: readonly string[], max: number): string =>
  names.slice(0, max).join(", ") + (names.length > max ? `, and ${names.length - max} more` : "");

/** `1234567` as `1,234,567`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

const TIME_UNITS = [
  ["year", 365 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Built on first use: it loads 3 MB of language data, which a server does not need. */
const format = once(() => new Intl.RelativeTimeFormat("en"));

/** Formats a time relative to `now`, in the largest unit that it fills: `3 minutes ago`, `in 90 days`. */
export const relativeTime = (time: number, now: number): string => {
  const seconds = Math.round((time - now) / 1000);
  if (seconds === 0) return "just now";
  const [unit, size] = TIME_UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return format().format(Math.round(seconds / size), unit);
};

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

const GAP = "  ";
const ELLIPSIS = "…";
/** Columns stay at least this wide, even if the table is then wider than the terminal. */
const MIN_COLUMN_WIDTH = 8;

/** Cuts text to a display width. `Bun.sliceAnsi` lets a wide character before the ellipsis exceed it by one column. */
const cut = (text: string, width: number): string => {
  if (Bun.stringWidth(text) <= width) return text;
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(start + segment) > width - ELLIPSIS.length) break;
    start += segment;
  }
  return start + ELLIPSIS;
};

/** Narrows the widest column step by step until the table fits. */
const fit = (widths: readonly number[], available: number): number[] => {
  const fitted = [...widths];
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  for (let excess = total - available; excess > 0; excess--) {
    const widest = Math.max(...fitted);
    if (widest <= MIN_COLUMN_WIDTH) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
  return fitted;
};

/** The width of standard output; undefined if it is no terminal. */
export const terminalWidth = (): number | undefined =>
  process.stdout.isTTY ? process.stdout.columns : undefined;

/**
 * Lines of text in columns; the first row is their heading. Control characters in cells are escaped.
 * @param width of the terminal: cells are cut to fit; without it they are whole
 */
export const table = (untrusted: readonly (readonly string[])[], width = Infinity): string => {
  const rows = untrusted.map((row) => row.map(oneLine));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const fitted = fit(widths, width);
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, column) => cut(cell, fitted[column] ?? 0))
      .map((cell, column) => cell + " ".repeat((fitted[column] ?? 0) - Bun.stringWidth(cell)))
      .join(GAP)
      .trimEnd();
  return rows.map(lineOf).join("\n");
};

/** The columns of a list: a function from row to cell text, by heading. */
export type Columns<Row> = Readonly<Record<string, (row: Row, now: number) => string>>;

/** The rows as a table that fits the terminal. @param empty the text for no rows */
export const listText = <Row>(rows: readonly Row[], columns: Columns<Row>, empty: string): string => {
  if (rows.length === 0) return empty;
  const now = Date.now();
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row, now)));
  const [first = "", ...rest] = table([Object.keys(columns), ...cells], terminalWidth()).split("\n");
  return [heading(first), ...rest].join("\n");
};

const LABEL_WIDTH = 11;

/** Lines of text, the first after a label and the others below it. */
export const labelled = (label: string, [first = "", ...rest]: readonly string[]): string[] => [
  `${heading(label)}${" ".repeat(LABEL_WIDTH - label.length)}${first}`,
  ...rest.map((line) => " ".repeat(LABEL_WIDTH) + line),
];

/** The rows that a command reads at a time. */
const PAGE_SIZE = 100;

/** The rows of all pages of a list, or the first `max`. */
export const allPages = async <Row>(
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Row>>,
  max = Infinity,
): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ;) {
    const { items, next } = await read({ limit: PAGE_SIZE, cursor });
    rows.push(...items);
    if (next === undefined || rows.length >= max) return rows.slice(0, max);
    cursor = next;
  }
};

/** The rows of a list whose pages begin after an id. */
export const allAfter = <Row extends { id: number }>(
  read: (page: { after: number; limit: number }) => Promise<Row[]>,
): Promise<Row[]> =>
  allPages(async ({ limit, cursor = "0" }) => {
    const items = await read({ after: Number(cursor), limit });
    return { items, next: items.length < limit ? undefined : String(items.at(-1)?.id) };
  });

/** A note with terms and their meanings, in two columns. */
export const glossary = (
  title: string,
  items: readonly (readonly [term: string, meaning: string])[],
): string => {
  const width = Math.max(...items.map(([term]) => term.length)) + 2;
  return [title, ...items.map(([term, meaning]) => `  ${term.padEnd(width)}${meaning}`)].join("\n");
};

const INTERVAL_MS = 100;
const CLEAR_LINE = "\r\u001B[K";

/** A line that shows the progress of a command, on a terminal only. It disappears when the command ends. */
export const progressLine = (output: NodeJS.WriteStream = process.stderr) => {
  let last = 0;
  /** Clears the line. */
  const end = (): void => {
    if (output.isTTY && last > 0) output.write(CLEAR_LINE);
  };
  return {
    end,
    [Symbol.dispose]: end,
    /** @param isStep true for the first line of a step, which always appears; counts appear ten times a second at most */
    show(line: string, isStep = false): void {
      const now = performance.now();
      if (!output.isTTY || (!isStep && now - last < INTERVAL_MS)) return;
      last = now;
      output.write(CLEAR_LINE + line);
    },
    /** Prints a line above it. */
    note(message: string): void {
      end();
      note(message);
    },
  };
};

const BAR_WIDTH = 20;
const PLAIN_INTERVAL_MS = 10_000;

const formatTimeLeft = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s left` : `${Math.ceil(seconds / 60)} min left`;

const barOf = (share: number): string => {
  const full = Math.round(share * BAR_WIDTH);
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${Math.floor(share * 100)}%  `;
};

/**
 * Shows the progress of an import or export: on a terminal as a bar with the pace and the time left, elsewhere as a plain line
 * every ten seconds.
 */
export const rowProgress = (activity: string, output: NodeJS.WriteStream = process.stderr) => {
  const line = progressLine(output);
  const start = performance.now();
  let first: { rows: number; share: number } | undefined;
  let lastPlain = start;
  return {
    /** @param share the part of the file that is done, from 0 to 1; undefined if its size is unknown */
    show(rows: number, share: number | undefined): void {
      const now = performance.now();
      first ??= { rows, share: share ?? 0 };
      const isPlain = !output.isTTY && now - lastPlain >= PLAIN_INTERVAL_MS;
      if (!output.isTTY && !isPlain) return;
      const seconds = (now - start) / 1000;
      const pace = `${formatCount(Math.round((rows - first.rows) / seconds))} rows/s`;
      const done = share === undefined ? 0 : (share - first.share) / (1 - first.share || 1);
      const left = done > 0 ? `, ${formatTimeLeft((seconds / done) * (1 - done))}` : "";
      const text = `${activity} ${quantity(rows, "row")}, ${pace}${left}`;
      if (!isPlain) return line.show((share === undefined ? "" : barOf(share)) + text);
      lastPlain = now;
      note(text);
    },
    note: line.note,
    end: line.end,
  };
};
