import { beforeAll, expect, setDefaultTimeout, spyOn } from "bun:test";
import { join } from "node:path";
import { run as runCommand } from "../../src/cli/run.ts";
import { databasePath } from "../../src/data/data-dir/paths.ts";
import { bundledProgram } from "../support/program.ts";
import { openStore, temporaryDirectory } from "../support/store.ts";

interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Its standard input. */
  input?: string;
  /** The file for its standard output, instead of `out` in the result. */
  output?: string;
}

/** Bundles the program before the first test of a file, whose tests start processes while the machine may be busy. */
const bundleBefore = () => {
  setDefaultTimeout(60_000);
  beforeAll(async () => void (await bundledProgram()));
};

/** Runs commands in separate processes. */
export const bundled = () => {
  bundleBefore();
  return async (argv: string[], { env = {}, cwd, input = "", output }: RunOptions = {}) => {
    const child = Bun.spawn([...(await bundledProgram()), ...argv], {
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

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM", "SIGTSTP"] as const;

/** Captures a standard stream, which is not a terminal meanwhile. @returns a function that restores it and returns the output */
const captureOutput = (stream: NodeJS.WriteStream) => {
  const { isTTY } = stream;
  const chunks: Buffer[] = [];
  const write = spyOn(stream, "write").mockImplementation(
    (chunk: Uint8Array | string, ...rest: unknown[]) => {
      chunks.push(Buffer.from(chunk as string));
      const done = rest.findLast((one) => typeof one === "function");
      if (done) queueMicrotask(done as () => void);
      return true;
    },
  );
  stream.isTTY = false;
  return () => {
    stream.isTTY = isTTY;
    write.mockRestore();
    return Buffer.concat(chunks).toString();
  };
};

/**
 * Runs a command within this process, in a tenth of the time that a new process takes. The command cannot read standard
 * input; its locks and signals, and `serve`, need a separate process.
 */
export const inProcess = async (
  argv: string[],
  { env = {}, cwd = process.cwd() }: Pick<RunOptions, "env" | "cwd"> = {},
) => {
  const before = { env: process.env, cwd: process.cwd(), umask: process.umask() };
  const listeners = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  process.env = { PATH: before.env["PATH"] ?? "", ...env };
  process.chdir(cwd);
  const { isTTY } = process.stdin;
  process.stdin.isTTY = false;
  const [out, error] = [captureOutput(process.stdout), captureOutput(process.stderr)];
  try {
    const returned = await runCommand(argv);
    return { out: out(), error: error(), code: Number(process.exitCode) || returned };
  } finally {
    out();
    error();
    process.stdin.isTTY = isTTY;
    process.exitCode = 0;
    process.chdir(before.cwd);
    process.umask(before.umask);
    process.env = before.env;
    for (const [signal, known] of listeners)
      for (const listener of process.listeners(signal))
        if (!known.includes(listener)) process.off(signal, listener);
  }
};

/** Runs a command within this process, in a directory whose DATA_DIR is `data` below it. */
export const inProcessIn = (cwd: string, argv: string[]) =>
  inProcess(argv, { cwd, env: { DATA_DIR: join(cwd, "data") } });

/** A store in a DATA_DIR, and commands that run next to its server. */
export const openShared = async (settings: Record<string, string> = {}) => {
  const dataDir = temporaryDirectory();
  const store = await openStore({ path: databasePath(dataDir), env: { DATA_DIR: dataDir } });
  const env = { DATA_DIR: dataDir, ...settings };
  return { store, dataDir, env, run: (...argv: string[]) => inProcess(argv, { env }) };
};

type OnOutput = (shown: string, terminal: { write(text: string): unknown }) => void;

/** Types keys when the terminal first shows a question. */
export const onQuestion = (question: string, keys: string): OnOutput => {
  let isAsked = false;
  return (shown, terminal) => {
    if (isAsked || !shown.includes(question)) return;
    isAsked = true;
    terminal.write(keys);
  };
};

/**
 * Runs a command on a terminal. @param onOutput called with all that the terminal shows so far, whenever there is more of it
 * @returns its final output, and the exit code
 */
const runOnTerminal = async (argv: string[], env: Record<string, string>, onOutput: OnOutput = () => {}) => {
  let shown = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...(await bundledProgram()), ...argv], {
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", ...env },
    terminal: {
      cols: 200,
      data(terminal, data) {
        shown += decoder.decode(data, { stream: true });
        onOutput(shown, terminal);
      },
    },
  });
  const code = await child.exited;
  child.terminal?.close();
  return { shown, code };
};

/** Runs commands on terminals. */
export const bundledOnTerminal = () => {
  bundleBefore();
  return runOnTerminal;
};

/** Expects that a command failed with this exit code, and with this text in its error. */
export const expectFailure = (
  { code, error }: { code: number; error: string },
  expected: number,
  message: string | RegExp,
): void =>
  expect({ code, error }).toEqual({
    code: expected,
    error: typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message),
  });

/** Runs commands in a directory, whose DATA_DIR is `data` below it. */
export const bundledIn = () => {
  const run = bundled();
  return (cwd: string, argv: string[], input = "", output?: string) =>
    run(argv, { cwd, env: { DATA_DIR: join(cwd, "data") }, input, ...(output !== undefined && { output }) });
};
