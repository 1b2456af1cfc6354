/** Shows how far something is, on a terminal only; elsewhere nothing is shown but what the command prints. */
export interface Progress {
  /** @param isStep true for the first line of a step: it is shown in any case, a count only now and then */
  show(line: string, isStep?: boolean): void;
  /** Leaves the line empty. */
  end(): void;
}

const EVERY_MS = 100;
const CLEAR_LINE = "\r\u001B[K";

export const progress = (output: NodeJS.WriteStream = process.stderr): Progress => {
  let last = 0;
  return {
    show(line, isStep = false) {
      const now = performance.now();
      if (!output.isTTY || (!isStep && now - last < EVERY_MS)) return;
      last = now;
      output.write(CLEAR_LINE + line);
    },
    end() {
      if (output.isTTY && last > 0) output.write(CLEAR_LINE);
    },
  };
};

const UNITS = ["bytes", "kB", "MB", "GB"];

/** `1234567` as `1.2 MB`. */
export const formatBytes = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
};
