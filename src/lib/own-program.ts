import { join } from "node:path";

/** The path from which an executable runs itself. On Linux it is the same file, even if an upgrade has replaced it. */
const executable = (): string => (process.platform === "linux" ? "/proc/self/exe" : process.execPath);

/** The command line that starts this program again. */
export const ownProgram = (): string[] =>
  Bun.isStandaloneExecutable ? [executable()] : [process.execPath, join(import.meta.dir, "../main.ts")];
