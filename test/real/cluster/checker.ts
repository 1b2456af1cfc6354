/** The third-party checker of histories: porcupine, built from the versions that go.sum pins. */
import { join } from "node:path";

const SOURCE = join(import.meta.dir, "../porcupine");

/** What porcupine says of a history. */
export interface Verdict {
  /** Of single animals: a list of four is four. */
  operations: number;
  /** Operations with an unknown outcome. */
  unknown: number;
  animals: number;
  /** Ids of animals whose operations no order explains. */
  anomalies: number[];
  /** Ids of animals whose check took too long. */
  undecided: number[];
  seconds: number;
}

const output = async (argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
  const child = Bun.spawn(argv, { cwd: SOURCE, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
};

/** Builds the checker into a directory. @returns a function that checks the history in a file */
export const buildChecker = async (directory: string) => {
  const program = join(directory, "porcupine");
  const built = await output(["go", "build", "-mod=readonly", "-o", program, "."]);
  if (built.code !== 0) throw new Error(`go build: ${built.stderr}`);
  return async (history: string): Promise<Verdict & { explanation: string }> => {
    const { code, stdout, stderr } = await output([program, history]);
    if (code > 2) throw new Error(`porcupine: ${stderr}`);
    return { ...(JSON.parse(stdout) as Verdict), explanation: stderr };
  };
};
