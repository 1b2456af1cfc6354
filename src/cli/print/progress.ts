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
