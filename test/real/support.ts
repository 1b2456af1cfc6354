import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../support/ends.ts";
import { launchBrowser } from "./browser.ts";
import {
  EXECUTABLE,
  type Finished,
  type Surroundings,
  areInstalled,
  environment,
  isInstalled,
  newDirectory,
  until,
} from "./programs.ts";

export { atEnd, openOnce } from "../support/ends.ts";
export * from "./programs.ts";

const REQUIRED = process.env["REQUIRE_REAL"] === "1";
/** Every server is started with so many processes. */
const WORKERS = process.env["WORKERS"] === undefined ? [] : ["--workers", process.env["WORKERS"]];

const absent = (programs: readonly string[]): string[] => [
  ...(existsSync(EXECUTABLE) ? [] : ["dist/adoption-store (bun run build)"]),
  ...programs.filter((program) => !isInstalled(program)),
];

/**
 * Declares tests that need the executable and these programs: without them each is skipped by name, or fails if REQUIRE_REAL=1.
 * Two files run at a time, except those that bound short times under load: they are named `*.alone.real.ts`.
 */
export const real =
  (...programs: readonly string[]) =>
  (name: string, body: () => Promise<void>, timeoutMs = 240_000): void => {
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

/** A new directory, which is removed when the test ends. Unlike other tests' directories it is on a disk. */
export const directory = (): string => {
  const path = newDirectory();
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Ends a resource when the test ends. */
export const kept = <Resource extends Disposable | AsyncDisposable>(resource: Resource): Resource => {
  atEnd(() =>
    Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
  );
  return resource;
};

/** A browser with one empty page, which is closed when the test ends. */
export const openBrowser = async (...options: Parameters<typeof launchBrowser>) =>
  kept(await launchBrowser(...options));

/** Fails unless a command refused: with this exit code and one line on standard error that says this. */
export const expectRefusal = ({ code, stdout, stderr }: Finished, expected: number, says: RegExp): void => {
  expect(stderr).toMatch(says);
  expect(stderr).toMatch(/^adoption-store: [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
};

/** Without `cwd`, the server runs in a new directory. DATA_DIR is `data` below it, unless `flags` say otherwise. */
export interface ServerSettings extends Surroundings {
  /** The command to run instead of the built executable. */
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
    cwd,
    port,
    url,
    /** The key of its first start. */
    key,
    /** Calls the API, with the first key unless `init` has an Authorization header. */
    call,
    add: (name: string, categoryId = 1) =>
      call("/v1/pets", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, categoryId }),
      }),
    /** Sends JSON. @returns the JSON of the response; undefined if it has none @throws if it is refused */
    async send<Value = unknown>(path: string, body?: object, method = "POST"): Promise<Value> {
      const headers = { "content-type": "application/json" };
      const response = await call(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (response.status === 204 ? undefined : await response.json()) as Value;
    },
    read: async <Value = unknown>(path: string): Promise<Value> =>
      (await call(path)).json() as Promise<Value>,
    /** Ends it as an operator does. @returns its exit code */
    stop(signal: "SIGTERM" | "SIGINT" = "SIGTERM") {
      child.kill(signal);
      return exited;
    },
  };
};

export type Server = ReturnType<typeof serverAt>;

/** Starts the server on a free port. It is killed when the test ends, or before, with the scope that uses it. */
export const launch = ({ cwd = directory(), argv = [EXECUTABLE], flags = [], env }: ServerSettings = {}) => {
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
  const end = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  atEnd(end);
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
    [Symbol.asyncDispose]: end,
  };
};

/** A server that listens. It is killed when the test ends, or before, with the scope that uses it. */
export const serve = async (settings: ServerSettings = {}) => {
  const process = launch(settings);
  const server = await process.listening();
  if (!server) throw new Error(`the server ended: ${await process.stderr}`);
  return { ...process, ...server };
};
