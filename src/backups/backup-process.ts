import { ownProgram } from "../lib/own-program.ts";
import { removeTemporary } from "./temporary-files.ts";

/** How long the command may take to end after SIGTERM. */
const MAX_END_MS = 3000;

/** Takes backups in a separate process: copying takes seconds, during which the server must respond. */
export const backupProcess = (
  argv: readonly string[],
  directory: string,
  {
    program = ownProgram(),
    env,
  }: { program?: string[] | undefined; env?: Readonly<Record<string, string | undefined>> | undefined } = {},
) => {
  let running: Bun.Subprocess | undefined;
  return {
    /** Runs the command `backup`. @returns its output @throws an error with its message */
    async take(): Promise<string> {
      const child = Bun.spawn([...program, "backup", ...argv], {
        ...(env && { env }),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      running = child;
      const [output, errors, code] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ]);
      running = undefined;
      if (code === 0) return output;
      removeTemporary(directory, child.pid);
      throw new Error(
        errors.trim().replace(/^adoption-store: /, "") || `the backup ended with exit code ${code}`,
      );
    },
    /** Ends the command, which removes its files. */
    async cancel(): Promise<void> {
      const child = running;
      if (!child) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), MAX_END_MS);
      await child.exited;
      clearTimeout(timer);
    },
  };
};
