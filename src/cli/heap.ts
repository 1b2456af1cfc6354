import { totalmem } from "node:os";

/**
 * The memory size by which the runtime sizes its heap, in bytes. By default it takes the machine's: with 24 GiB the server
 * used 124 to 138 MB under the load of the memory bench, and with this 103 MB, at the same speed.
 */
const HEAP_SCALE = 256 * 2 ** 20;
/** JavaScriptCore reads it once, before the first line of the program runs. */
const VARIABLE = "BUN_JSC_forceRAMSize";

/**
 * Replaces the process by itself with a heap scaled for a small machine; pid, output and arguments stay. Does nothing on
 * a machine that is as small, outside the executable, where the variable is set already, and where it cannot.
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
