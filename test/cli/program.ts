import { beforeAll } from "bun:test";
import { join } from "node:path";

/** What a command finds where it is run. */
interface Circumstances {
  env?: Record<string, string>;
  cwd?: string;
  /** Its standard input. */
  input?: string;
  /** The file that its standard output goes to, in place of what it answers. */
  output?: string;
}

/** Where a process of the tests has its bundle; it stays there until the next takes its place. */
const directory = join(import.meta.dir, "../../dist/test", process.env["BUN_TEST_WORKER_ID"] ?? "alone");

const bundle = async (): Promise<void> => {
  await Bun.build({
    entrypoints: [join(import.meta.dir, "../../src/main.ts")],
    outdir: directory,
    target: "bun",
    format: "cjs",
    bytecode: true,
  });
};

let bundling: Promise<void> | undefined;

/** The program, bundled and compiled once for all tests of a process: each run then starts in a third of the time. */
export const bundled = () => {
  beforeAll(() => (bundling ??= bundle()));
  return async (argv: string[], { env = {}, cwd, input = "", output }: Circumstances = {}) => {
    const child = Bun.spawn([process.execPath, join(directory, "main.js"), ...argv], {
      ...(cwd !== undefined && { cwd }),
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdin: Buffer.from(input),
      stdout: output === undefined ? "pipe" : Bun.file(output),
      stderr: "pipe",
    });
    const [out, error, code] = await Promise.all([
      typeof child.stdout === "object" ? child.stdout.text() : "",
      child.stderr.text(),
      child.exited,
    ]);
    return { out, error, code };
  };
};

/**
 * Runs a command of the source on a terminal. @param told of all that the terminal shows so far, whenever there is more of it
 * @returns what it shows in the end, and the exit code
 */
export const onTerminal = async (
  argv: string[],
  env: Record<string, string>,
  told: (shown: string, terminal: { write(text: string): unknown }) => void = () => {},
) => {
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../src/main.ts"), ...argv], {
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", ...env },
    terminal: {
      cols: 200,
      data(terminal, data) {
        shown += decoder.decode(data, { stream: true });
        told(shown, terminal);
      },
    },
  });
  const code = await child.exited;
  child.terminal?.close();
  return { shown, code };
};

/** Runs commands in a directory, whose DATA_DIR is `data` below it. */
export const bundledIn = () => {
  const run = bundled();
  return (cwd: string, argv: string[], input = "", output?: string) =>
    run(argv, { cwd, env: { DATA_DIR: join(cwd, "data") }, input, ...(output !== undefined && { output }) });
};
