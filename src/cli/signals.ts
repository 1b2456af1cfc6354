import { readFileSync } from "node:fs";

/** SIGHUP in the mask of ignored signals. */
const SIGHUP_BIT = 1n;

/**
 * True if this process was started with SIGHUP ignored, as `nohup` does; a handler would undo that. Always false on systems
 * other than Linux, which do not tell.
 */
export const ignoresHangup = (): boolean => {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
    return (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n;
  } catch {
    return false;
  }
};

/** The signals that end a command, each with the exit code that a shell reports. */
export const stopSignals = (): readonly (readonly ["SIGINT" | "SIGTERM" | "SIGHUP", number])[] => [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ...(ignoresHangup() ? [] : ([["SIGHUP", 129]] as const)),
];

/**
 * Records the first signal that stops a command, so that the command can end cleanly. A second signal ends the process at
 * once, except SIGHUP, which a closing terminal sends more than once.
 */
export const stopRequest = () => {
  let code = 0;
  const removers = stopSignals().map(([signal, exitCode]) => {
    const onSignal = () => {
      if (code !== 0 && signal !== "SIGHUP") process.exit(exitCode);
      code ||= exitCode;
    };
    process.on(signal, onSignal);
    return () => process.off(signal, onSignal);
  });
  return {
    /** The exit code for the signal; 0 if there was none. */
    code: () => code,
    [Symbol.dispose]() {
      for (const remove of removers) remove();
    },
  };
};
