import { OperatorError } from "../lib/operator-error.ts";

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program of the system to its end. */
export const run = async (...argv: string[]): Promise<Output> => {
  const child = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
};

/** Runs a program of the system. @returns its output @throws OperatorError if it fails */
export const must = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...argv);
  if (code === 0) return stdout;
  throw new OperatorError(
    `${argv.join(" ")} ended with exit code ${code}: ${(stderr || stdout).trim().replaceAll("\n", "; ")}`,
  );
};
