import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** What `bun run build` makes. */
export const EXECUTABLE = resolve(import.meta.dir, "../../dist/adoption-store");
export const PROGRAMS = join(import.meta.dir, "node_modules");
const REQUIRED = process.env["REQUIRE_REAL"] === "1";
/** Every server is started with so many processes. */
const WORKERS = process.env["WORKERS"] === undefined ? [] : ["--workers", process.env["WORKERS"]];

/** A command of a package of this directory's manifest. */
export const command = (name: string): string => join(PROGRAMS, ".bin", name);

/** Whether this machine has a program, a file, a package of this directory's manifest, network namespaces, or `root` as its user. */
const isInstalled = (program: string): boolean => {
  if (program === "root") return process.getuid?.() === 0;
  if (program === "network namespaces")
    return (
      Bun.which("unshare") !== null &&
      Bun.spawnSync(["unshare", "-n", "ip", "link", "set", "lo", "up"]).success
    );
  return Bun.which(program) !== null || existsSync(resolve(PROGRAMS, program));
};

export const areInstalled = (programs: readonly string[]): boolean => programs.every(isInstalled);

const absent = (programs: readonly string[]): string[] => [
  ...(existsSync(EXECUTABLE) ? [] : ["dist/adoption-store (bun run build)"]),
  ...programs.filter((program) => !isInstalled(program)),
];

/** A test that needs the executable and these programs: without them it is skipped by name, or fails if REQUIRE_REAL=1. */
export const real = (
  name: string,
  programs: readonly string[],
  body: () => Promise<void>,
  timeoutMs = 240_000,
): void => {
  const missing = absent(programs);
  if (missing.length === 0) return test(name, body, timeoutMs);
  const named = `${name} (not installed: ${missing.join(", ")})`;
  if (!REQUIRED) return test.skip(named, body);
  test(named, () => {
    throw new Error(`not installed: ${missing.join(", ")}`);
  });
};

/** Tests that need these programs, and not the executable: without them they are skipped by name, or fail if REQUIRE_REAL=1. */
export const describeReal = (name: string, programs: readonly string[], body: () => void): void => {
  if (areInstalled(programs)) return describe(name, body);
  const missing = `${name} (not installed: ${programs.filter((program) => !isInstalled(program)).join(", ")})`;
  if (!REQUIRED) return test.skip(missing, () => {});
  test(missing, () => {
    throw new Error(missing);
  });
};

/** A new directory that is removed when the scope that it was made in ends. */
export const directory = () => {
  const path = mkdtempSync(join(tmpdir(), "adoption-store-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

/** Busy machines need much longer than others. */
export const MAX_MS = 20_000;

/** Waits until something is so, at most `ms`. @throws if it is not so by then */
export const until = async (
  what: string,
  isSo: () => boolean | Promise<boolean>,
  ms = MAX_MS,
): Promise<void> => {
  for (const end = performance.now() + ms; !(await isSo()); await Bun.sleep(5))
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
};

/** At most `ms` for a promise. @throws if it takes longer */
export const within = <Value>(what: string, ms: number, promise: Promise<Value>): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

export interface Surroundings {
  cwd?: string;
  /** The whole environment, beside PATH. */
  env?: Record<string, string>;
}

/** The environment of everything that is started here: PATH and what is named, nothing of the tester's. */
const environment = (env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  ...env,
});

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs any program to its end. */
export const run = async (argv: string[], { cwd, env }: Surroundings = {}): Promise<Finished> => {
  const child = Bun.spawn(argv, {
    ...(cwd !== undefined && { cwd }),
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
};

/** Runs a command of the executable to its end. */
export const store = (argv: string[], surroundings?: Surroundings): Promise<Finished> =>
  run([EXECUTABLE, ...argv], surroundings);

/** Fails unless a command refused: with this exit code and one line on standard error that says this. */
export const expectRefusal = ({ code, stdout, stderr }: Finished, expected: number, says: RegExp): void => {
  expect(stderr).toMatch(says);
  expect(stderr).toMatch(/^adoption-store: [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
};

export interface ServerSettings extends Surroundings {
  /** Directory to run in: DATA_DIR is `data` below it, unless `flags` say otherwise. */
  cwd: string;
  /** What to run in place of the built executable. */
  argv?: string[];
  flags?: string[];
}

/** What a test does with a server that listens. */
const serverAt = (port: number, cwd: string, child: Bun.Subprocess, exited: Promise<number>) => {
  const key = readFileSync(join(cwd, "data", "admin.key"), "utf8").trim();
  const url = `http://127.0.0.1:${port}`;
  const call = (
    path: string,
    { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {},
  ) => fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...headers } });
  return {
    pid: child.pid,
    port,
    url,
    /** The key of its first start. */
    key,
    /** Calls the API, with the first key unless `init` brings an Authorization of its own. */
    call,
    add: (name: string, categoryId = 1) =>
      call("/v1/pets", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, categoryId }),
      }),
    /** Ends it as an operator does. @returns its exit code */
    stop(signal: "SIGTERM" | "SIGINT" = "SIGTERM") {
      child.kill(signal);
      return exited;
    },
  };
};

export type Server = ReturnType<typeof serverAt>;

/** Starts the server on a free port. It is killed when the scope that it was started in ends. */
export const launch = ({ cwd, argv = [EXECUTABLE], flags = [], env }: ServerSettings) => {
  const child = Bun.spawn([...argv, "serve", "--port", "0", ...WORKERS, ...flags], {
    cwd,
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let stdout = "";
  let killed = false;
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) stdout += text;
  })();
  const exited = Promise.all([child.exited, reading]).then(([code]) => code);
  const port = () => Number(/Listening on http:\/\/localhost:([0-9]+)/.exec(stdout)?.[1]);
  return {
    pid: child.pid,
    /** Answers when it has ended. */
    exited,
    stdout: () => stdout,
    /** All of standard error; answers when it has ended. */
    stderr: child.stderr.text(),
    kill() {
      killed = true;
      child.kill("SIGKILL");
    },
    isKilled: () => killed,
    /** The server once it listens; undefined if it ended before. */
    async listening(): Promise<Server | undefined> {
      const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
      await until("listening", () => port() > 0 || hasEnded(), 10_000);
      return port() > 0 ? serverAt(port(), cwd, child, exited) : undefined;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
};

/** A server that listens. It is killed when the scope that it was started in ends. */
export const serve = async (settings: ServerSettings) => {
  const process = launch(settings);
  try {
    const server = await process.listening();
    if (!server) throw new Error(`the server ended: ${await process.stderr}`);
    return { ...process, ...server };
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
};
