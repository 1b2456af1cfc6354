const INTERVAL_MS = 100;
const CLEAR_LINE = "\r\u001B[K";

/** One line that shows how far a command is. It is shown on a terminal only, and leaves nothing there. */
export const progressLine = (output: NodeJS.WriteStream = process.stderr) => {
  let last = 0;
  return {
    /** @param isStep true for the first line of a step, which is always shown; counts are shown ten times a second */
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
