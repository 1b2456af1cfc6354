import { removeTemporary } from "./temporary-files.ts";

/** What a command that takes a backup is asked for and answers. */
export interface BackupProcess {
  /** @returns what it printed @throws what it said was wrong */
  take(): Promise<string>;
  /** Ends it, and removes what it has begun. */
  cancel(): Promise<void>;
}

/** How long the command may take to end by itself. */
const PATIENCE_MS = 3000;

/** This program, as it was started. */
const self = (): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, process.argv[1] ?? ""];

/** Backups in a process of their own: copying takes seconds, in which the server goes on answering. */
export const backupProcess = (
  argv: readonly string[],
  directory: string,
  program = self(),
): BackupProcess => {
  let child: Bun.Subprocess | undefined;
  return {
    async take() {
      const started = Bun.spawn([...program, "backup", ...argv], {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      child = started;
      const [out, said, code] = await Promise.all([
        started.stdout.text(),
        started.stderr.text(),
        started.exited,
      ]);
      child = undefined;
      if (code === 0) return out;
      removeTemporary(directory, started.pid);
      throw new Error(said.trim().replace(/^adoption-store: /, "") || `the backup ended with ${code}`);
    },
    async cancel() {
      const ended = child;
      if (!ended) return;
      ended.kill("SIGTERM");
      const late = setTimeout(() => ended.kill("SIGKILL"), PATIENCE_MS);
      await ended.exited;
      clearTimeout(late);
    },
  };
};
