import { existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DRIVER = `
while read -r errors step; do
  if [ "$errors" = joined ]; then . "$step" </dev/null >"$step.out" 2>&1
  else . "$step" </dev/null >"$step.out" 2>"$step.err"; fi
  status=$?
  set +e
  printf '%s\\n' "$status"
done
`;

export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** How to run a command. */
export interface RunOptions {
  /** Standard error goes where standard output goes, as on a terminal. */
  joined: boolean;
  /** The first failure ends the shell, as in `bash -e`. */
  strict: boolean;
  /** At most so long. */
  ms: number;
}

/**
 * A bash that keeps its directory and its variables from one command to the next, as a reader's terminal does.
 * @param notes a directory for its files
 */
export const openShell = (cwd: string, env: Record<string, string>, notes: string) => {
  const bash = Bun.spawn(["bash", "--norc", "-c", DRIVER], {
    cwd,
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const statuses = bash.stdout.getReader();
  let count = 0;

  /** Of the command, or of the shell if that ended with it. */
  const nextStatus = async (): Promise<number> => {
    const { value } = await statuses.read();
    return value ? Number(new TextDecoder().decode(value)) : bash.exited;
  };

  const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

  return {
    directory: (): string => readlinkSync(`/proc/${bash.pid}/cwd`),
    /** Runs one command to its end. @throws Error if it takes too long */
    async run(command: string, { joined, strict, ms }: RunOptions): Promise<Ran> {
      const step = join(notes, `step-${(count += 1)}`);
      writeFileSync(step, `${strict ? "set -e\n" : ""}${command}\n`);
      void bash.stdin.write(`${joined ? "joined" : "apart"} ${step}\n`);
      await bash.stdin.flush();
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => resolve(undefined), ms);
      const exitCode = await Promise.race([nextStatus(), late]).finally(() => clearTimeout(timer));
      const [stdout, stderr] = [textOf(`${step}.out`), textOf(`${step}.err`)];
      if (exitCode === undefined) throw new Error(`not finished after ${ms / 1000} s:\n${stdout}${stderr}`);
      return { exitCode, stdout, stderr };
    },
  };
};

export type Shell = ReturnType<typeof openShell>;
