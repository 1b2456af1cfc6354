import { totalmem } from "node:os";

/**
 * The runtime sizes its heap for a machine with this much memory, in bytes. With the 24 GiB of a real machine, the server
 * used 124 to 138 MB under the load of the memory bench; with this value it used 103 MB, at the same speed.
 */
const HEAP_SCALE = 256 * 2 ** 20;
/** JavaScriptCore reads it once, before the first line of the program runs. */
const VARIABLE = "BUN_JSC_forceRAMSize";

/**
 * Restarts the program in the same process with a heap for a small machine; pid, output and arguments stay. Does nothing on
 * a machine that small, outside the executable, if the variable is already set, or if `execve` fails.
 */
export const scaleHeap = (): void => {
  const memory = process.constrainedMemory() || totalmem();
  if (!Bun.isStandaloneExecutable || process.env[VARIABLE] !== undefined || memory <= HEAP_SCALE) return;
  try {
    process.execve?.(process.execPath, [process.argv0, ...process.argv.slice(2)], {
      ...process.env,
      [VARIABLE]: String(HEAP_SCALE),
    });
  } catch {
    // The server works with a larger heap too.
  }
};
