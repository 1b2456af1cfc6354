import { readText } from "../lib/files.ts";

let deferrals = 0;
let isRequested = false;

const suspend = () => {
  isRequested = false;
  process.kill(process.pid, "SIGSTOP");
};

/**
 * Lets Ctrl-Z stop the process only between two turns of the event loop. A write transaction begins and ends within one turn,
 * so a stopped process never holds the write lock.
 */
export const suspendBetweenTurns = (): void => {
  process.on("SIGTSTP", () => {
    isRequested = true;
    if (deferrals === 0) suspend();
  });
};

interface Deferral extends Disposable {
  /** True after Ctrl-Z: the process stops when the last deferral ends. */
  isRequested(): boolean;
}

/** Defers Ctrl-Z while a snapshot of the database stays open over several turns. */
export const deferSuspension = (): Deferral => {
  deferrals++;
  return {
    isRequested: () => isRequested,
    [Symbol.dispose]() {
      deferrals--;
      if (deferrals === 0 && isRequested) suspend();
    },
  };
};

/** SIGHUP in the mask of ignored signals. */
const SIGHUP_BIT = 1n;

/**
 * True if this process was started with SIGHUP ignored, as `nohup` does; a handler would undo that. Always false on systems
 * other than Linux, which do not report it.
 */
export const ignoresHangup = (): boolean => {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readText("/proc/self/status") ?? "")?.[1] ?? "0";
  return (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n;
};

/** The signals that end a command, each with the exit code that a shell reports. */
export const stopSignals = (): readonly (readonly ["SIGINT" | "SIGTERM" | "SIGHUP", number])[] => [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ...(ignoresHangup() ? [] : ([["SIGHUP", 129]] as const)),
];

/**
 * Records the first signal that stops a command, so that the command can end cleanly. A second signal ends the process
 * immediately, except SIGHUP, which a closing terminal sends more than once.
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
