import { join } from "node:path";

/** What an executable runs again. On Linux it is the same file, even if an upgrade has replaced it meanwhile. */
const executable = (): string => (process.platform === "linux" ? "/proc/self/exe" : process.execPath);

/** The command line that starts this program again. */
export const ownProgram = (): string[] =>
  Bun.isStandaloneExecutable ? [executable()] : [process.execPath, join(import.meta.dir, "../main.ts")];
