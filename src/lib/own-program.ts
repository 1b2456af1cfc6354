/** The command line that starts this program again. */
export const ownProgram = (): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, process.argv[1] ?? ""];
