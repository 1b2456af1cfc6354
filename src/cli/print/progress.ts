import { quantity } from "../../lib/quantity.ts";
import { formatCount, note } from "./output.ts";

const INTERVAL_MS = 100;
const CLEAR_LINE = "\r\u001B[K";

/** A line that shows the progress of a command, on a terminal only. It disappears when the command ends. */
export const progressLine = (output: NodeJS.WriteStream = process.stderr) => {
  let last = 0;
  return {
    /** @param isStep true for the first line of a step, which always appears; counts appear ten times a second at most */
    show(line: string, isStep = false): void {
      const now = performance.now();
      if (!output.isTTY || (!isStep && now - last < INTERVAL_MS)) return;
      last = now;
      output.write(CLEAR_LINE + line);
    },
    /** Clears the line. */
    end(): void {
      if (output.isTTY && last > 0) output.write(CLEAR_LINE);
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
    end: line.end,
  };
};
